#include "filters/bloom.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "filters/blocked_bloom.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/bloom");

namespace {

std::vector<Hash128> keys(Rng& rng, std::size_t count) {
  std::vector<Hash128> out(count);
  for (Hash128& key : out) key = {rng.next(), rng.next()};
  return out;
}

// A blocked filter takes keys as bytes; here the bytes of the same random seeds.
ByteView bytes_of(const Hash128& key) {
  return {reinterpret_cast<const std::uint8_t*>(&key), sizeof key};
}
void insert(BloomFilter& filter, const Hash128& key) { filter.insert(key); }
void insert(BlockedBloomFilter& filter, const Hash128& key) { filter.insert(bytes_of(key)); }
bool found(const BloomFilter& filter, const Hash128& key) { return filter.may_contain(key); }
bool found(const BlockedBloomFilter& filter, const Hash128& key) {
  return filter.may_contain(bytes_of(key));
}

template <typename Filter>
double measured_rate(const Filter& filter, Rng& rng, std::size_t questions) {
  std::size_t wrong = 0;
  for (const Hash128& key : keys(rng, questions)) wrong += found(filter, key) ? 1 : 0;
  return static_cast<double>(wrong) / static_cast<double>(questions);
}

}  // namespace

TEST_CASE_TEMPLATE("whatever was inserted is found, alone and after a merge", Filter, BloomFilter,
                   BlockedBloomFilter) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    auto bits = static_cast<std::uint32_t>(8 + rng.below(4000));
    auto k = static_cast<std::uint32_t>(1 + rng.below(8));
    Filter a(bits, k);
    Filter b(bits, k);
    auto ours = keys(rng, rng.below(300));
    auto theirs = keys(rng, rng.below(300));
    for (const Hash128& key : ours) insert(a, key);
    for (const Hash128& key : theirs) insert(b, key);
    for (const Hash128& key : ours) CHECK(found(a, key));
    Filter both = a;
    both.merge(b);
    for (const Hash128& key : ours) CHECK(found(both, key));
    for (const Hash128& key : theirs) CHECK(found(both, key));
    CHECK(a.may_be_subset_of(both));
    CHECK(b.may_be_subset_of(both));
    CHECK(both.may_be_subset_of(a) == (both.fill() == a.fill()));
  }
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

TEST_CASE("the blocked filter keeps the rate its blocks promise, for few and many positions") {
  for (double per_key : {6.0, 10.0, 16.0}) {
    CAPTURE(per_key);
    Rng rng(8);
    auto filter = BlockedBloomFilter::for_keys(20000, per_key);
    auto inserted = keys(rng, 20000);
    std::vector<ByteView> views;
    for (const Hash128& key : inserted) views.push_back(bytes_of(key));
    filter.insert(views);
    auto answers = std::make_unique<bool[]>(inserted.size());
    filter.may_contain(views, {answers.get(), inserted.size()});
    for (std::size_t i = 0; i < inserted.size(); ++i) REQUIRE(answers[i]);
    auto one_by_one = BlockedBloomFilter::for_keys(20000, per_key);
    for (const Hash128& key : inserted) insert(one_by_one, key);
    CHECK(one_by_one.may_be_subset_of(filter));
    CHECK(filter.may_be_subset_of(one_by_one));
    double expected = BlockedBloomFilter::expected_rate(per_key, filter.k());
    CHECK(measured_rate(filter, rng, 2000000) == doctest::Approx(expected).epsilon(0.08));
    CHECK(filter.estimate_count() == doctest::Approx(20000).epsilon(0.03));
  }
}

TEST_CASE("keys that are alike, of any length, are mistaken no more often than random ones") {
  auto number = [](std::uint32_t i, std::size_t bytes, std::size_t at) {
    std::string out(bytes, '\0');
    std::memcpy(out.data() + at, &i, 4);
    return out;
  };
  auto decimal = [](std::uint32_t i) { return std::to_string(10000000 + i); };
  using Make = std::function<std::string(std::uint32_t)>;
  const Make makes[] = {[&](std::uint32_t i) { return number(i, 4, 0); },
                        [&](std::uint32_t i) { return number(i, 8, 0); },
                        [&](std::uint32_t i) { return number(i, 8, 4); },
                        [&](std::uint32_t i) { return number(i << 12, 16, 2); },
                        [&](std::uint32_t i) { return number(i, 16, 12); },
                        [&](std::uint32_t i) { return decimal(i); },
                        [&](std::uint32_t i) { return "user-" + decimal(i); },
                        [&](std::uint32_t i) { return "attribute=value " + decimal(i); }};
  double expected =
      BlockedBloomFilter::expected_rate(10, BlockedBloomFilter::for_keys(20000, 10).k());
  for (const Make& make : makes) {
    CAPTURE(make(1).size());
    auto filter = BlockedBloomFilter::for_keys(20000, 10);
    for (std::uint32_t i = 0; i < 20000; ++i) filter.insert(as_bytes(make(i)));
    double wrong = 0;
    for (std::uint32_t i = 20000; i < 220000; ++i) {
      wrong += filter.may_contain(as_bytes(make(i))) ? 1 : 0;
    }
    CHECK(wrong / 200000 < 1.15 * expected);
    CHECK(filter.may_contain(as_bytes(make(7))));
  }
}

TEST_CASE("the k a blocked filter takes is within 1 % of the best") {
  for (double per_key = 1; per_key <= 24; per_key += 0.5) {
    CAPTURE(per_key);
    double least = 1;
    for (std::uint32_t k = 1; k <= BlockedBloomFilter::max_k; ++k) {
      least = std::min(least, BlockedBloomFilter::expected_rate(per_key, k));
    }
    std::uint32_t k = BlockedBloomFilter::best_k(per_key);
    CHECK(BlockedBloomFilter::expected_rate(per_key, k) <= 1.01 * least);
  }
}

TEST_CASE("a full filter says yes to all and still estimates a finite count") {
  Rng rng(9);
  BloomFilter small(8, 4);
  BlockedBloomFilter large(512, 4);
  for (const Hash128& key : keys(rng, 5000)) {
    insert(small, key);
    insert(large, key);
  }
  CHECK(small.fill() == 1);
  CHECK(small.may_contain({1, 2}));
  CHECK(std::isfinite(small.estimate_count()));
  CHECK(large.fill() == 1);
  CHECK(std::isfinite(large.estimate_count()));
  CHECK(BloomFilter::best_k(8, 1000) == 1);
  CHECK(BloomFilter::best_k(1 << 20, 0) == BloomFilter::max_k);
}

TEST_SUITE_END();
