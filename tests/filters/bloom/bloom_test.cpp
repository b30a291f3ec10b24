// SPDX-License-Identifier: MIT
#include "filters/bloom/bloom.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/bloom");

namespace {

std::vector<Hash128> keys(Rng& rng, std::size_t count) {
  std::vector<Hash128> out(count);
  for (Hash128& key : out) key = {rng.next(), rng.next()};
  return out;
}

double measured_rate(const BloomFilter& filter, Rng& rng, std::size_t questions) {
  std::size_t wrong = 0;
  for (const Hash128& key : keys(rng, questions)) wrong += filter.may_contain(key) ? 1 : 0;
  return static_cast<double>(wrong) / static_cast<double>(questions);
}

}  // namespace

TEST_CASE("whatever was inserted is found, alone and after a merge") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    auto bits = static_cast<std::uint32_t>(8 + rng.below(4000));
    auto k = static_cast<std::uint32_t>(1 + rng.below(8));
    BloomFilter a(bits, k);
    BloomFilter b(bits, k);
    auto ours = keys(rng, rng.below(300));
    auto theirs = keys(rng, rng.below(300));
    for (const Hash128& key : ours) a.insert(key);
    for (const Hash128& key : theirs) b.insert(key);
    for (const Hash128& key : ours) CHECK(a.may_contain(key));
    BloomFilter both = a;
    both.merge(b);
    for (const Hash128& key : ours) CHECK(both.may_contain(key));
    for (const Hash128& key : theirs) CHECK(both.may_contain(key));
    CHECK(a.may_be_subset_of(both));
    CHECK(b.may_be_subset_of(both));
    CHECK(both.may_be_subset_of(a) == (both.fill() == a.fill()));
  }
}

TEST_CASE("an insert sets the positions of its key and no others") {
  Rng rng(3);
  constexpr std::uint32_t bits = 1 << 20;
  for (std::uint32_t k = 1; k <= 8; ++k) {
    auto all = keys(rng, 4);
    BloomFilter filter(bits, k);
    filter.insert(all[1]);
    CHECK(std::lround(filter.fill() * bits) == k);
    CHECK(filter.may_contain(all[1]));
    CHECK_FALSE(filter.may_contain(all[2]));
  }
}

TEST_CASE("a folded filter is the one of half the length with the same keys") {
  Rng rng(4);
  BloomFilter whole(1024, 4), half(512, 4);
  for (const Hash128& key : keys(rng, 50)) {
    whole.insert(key);
    half.insert(key);
  }
  BloomFilter folded = whole.fold(512);
  CHECK(folded.may_be_subset_of(half));
  CHECK(half.may_be_subset_of(folded));
  CHECK(folded.fill() > 0.2);
}

TEST_CASE("filters go together only if both length and number of positions are the same") {
  BloomFilter filter(64, 3);
  CHECK(filter.compatible(BloomFilter(64, 3)));
  CHECK_FALSE(filter.compatible(BloomFilter(64, 4)));
  CHECK_FALSE(filter.compatible(BloomFilter(128, 3)));
}

TEST_CASE("the classic filter keeps the textbook's rate, fill and count") {
  Rng rng(7);
  constexpr std::uint32_t bits = 1 << 16;
  constexpr std::uint64_t n = 6554;  // 10 bits a key
  std::uint32_t k = BloomFilter::best_k(bits, n);
  CHECK(k == 7);
  BloomFilter filter(bits, k);
  CHECK(filter.estimate_count() == 0);
  for (const Hash128& key : keys(rng, n)) filter.insert(key);
  double fill = 1 - std::exp(-double(n) * k / bits);
  CHECK(filter.fill() == doctest::Approx(fill).epsilon(0.01));
  CHECK(filter.false_positive_rate() == doctest::Approx(std::pow(fill, k)).epsilon(0.06));
  CHECK(filter.estimate_count() == doctest::Approx(double(n)).epsilon(0.02));
  CHECK(measured_rate(filter, rng, 1000000) == doctest::Approx(std::pow(fill, k)).epsilon(0.06));
}

TEST_CASE("a full filter says yes to all and still estimates a finite count") {
  Rng rng(9);
  BloomFilter small(8, 4);
  for (const Hash128& key : keys(rng, 5000)) small.insert(key);
  CHECK(small.fill() == 1);
  CHECK(small.may_contain({1, 2}));
  CHECK(std::isfinite(small.estimate_count()));
  CHECK(BloomFilter::best_k(8, 1000) == 1);
  CHECK(BloomFilter::best_k(1 << 20, 0) == BloomFilter::max_k);
}

TEST_SUITE_END();
