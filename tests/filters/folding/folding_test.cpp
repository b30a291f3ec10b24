// SPDX-License-Identifier: MIT
#include "filters/folding/folding.h"

#include <doctest/doctest.h>

#include <numeric>
#include <tuple>

#include "filters/bloom/bloom.h"
#include "filters/folding/composite_numbers.h"
#include "filters/go/go_filter.h"
#include "filters/spectral/spectral_methods.h"
#include "tests/filters/go/go_world.h"
#include "tests/filters/spectral/multiset.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/folding");

namespace {

BloomFilter bloom_of(std::uint32_t bits, std::uint32_t k, const std::vector<Hash128>& elements) {
  BloomFilter out(bits, k);
  for (const Hash128& element : elements) out.insert(element);
  return out;
}

}  // namespace

TEST_CASE(
    "a folded filter equals one hashed into that length, plain and spectral, at every divisor") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    auto elements = random_elements(rng, 60);
    BloomFilter plain = bloom_of(720, 4, elements);
    SpectralFilter spectral = *SpectralFilter::make({.counters = 720, .k = 4});
    for (const Hash128& element : elements) spectral.insert(element, 1 + rng.below(9));
    for (std::uint32_t size : divisors(720)) {
      CAPTURE(size);
      if (size >= 8) {
        BloomFilter folded = plain.fold(size);
        CHECK(folded.bits() == bloom_of(size, 4, elements).bits());
        for (const Hash128& element : elements) REQUIRE(folded.may_contain(element));
      }
      if (size < 2) continue;
      Rng again(seed);
      auto same = random_elements(again, 60);
      SpectralFilter direct = *SpectralFilter::make({.counters = size, .k = 4});
      for (const Hash128& element : same) direct.insert(element, 1 + again.below(9));
      auto folded = spectral.fold(size);
      REQUIRE(folded.has_value());
      CHECK(*folded == direct);
    }
    CHECK_FALSE(spectral.fold(7).has_value());
  }
}

TEST_CASE("the order of folds never matters: elementary, composite and sequential folds agree") {
  Rng rng(7);
  auto elements = random_elements(rng, 100);
  BloomFilter plain = bloom_of(7200, 5, elements);
  SpectralFilter spectral = *SpectralFilter::make({.counters = 7200, .k = 5});
  spectral.insert_all(elements);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::uint32_t> factors = prime_factors(7200);
    for (std::size_t i = factors.size(); i > 1; --i)
      std::swap(factors[i - 1], factors[rng.below(i)]);
    std::uint32_t size = 7200;
    BloomFilter by_bits = plain;
    SpectralFilter by_counters = spectral;
    for (std::uint32_t factor : factors) {
      if (size / factor < 8) break;
      size /= factor;
      by_bits = by_bits.fold(size);
      by_counters = *by_counters.fold(size);
    }
    CHECK(by_bits.bits() == plain.fold(size).bits());
    CHECK(by_counters == *spectral.fold(size));
  }
}

TEST_CASE("a GO filter folded step by step equals one folded at once, in any order") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    testing::World world = testing::random_world(rng);
    auto size = static_cast<std::uint32_t>(world.filter.bits().size());
    std::vector<std::uint32_t> factors = prime_factors(size);
    for (std::size_t i = factors.size(); i > 1; --i)
      std::swap(factors[i - 1], factors[rng.below(i)]);
    GoFilter folded = world.filter;
    for (std::uint32_t factor : factors) {
      if (size / factor < 8) break;
      size /= factor;
      folded = folded.fold(size);
    }
    CHECK(folded == world.filter.fold(size));
    for (const Hash128& text : world.truth.texts) REQUIRE(folded.may_contain_text(text));
  }
}

TEST_CASE("minimal increase, folded, still never estimates below the truth") {
  Rng rng(8);
  ZipfStream data(rng, 200, 3000, 1);
  MinimalIncrease filter = *MinimalIncrease::make({.counters = 2520, .k = 5});
  for (const Hash128& element : data.stream) filter.insert(element);
  for (std::uint32_t size : {1260U, 840U, 360U, 60U}) {
    auto folded = filter.fold(size);
    REQUIRE(folded.has_value());
    for (const auto& [element, truth] : data.counts) REQUIRE(folded->estimate(element) >= truth);
  }
}

TEST_CASE("sizes_for inverts the false positive rate") {
  for (double n : {10.0, 1000.0, 1e6}) {
    for (double k : {1.0, 2.0, 5.0, 12.0}) {
      CAPTURE(n);
      CAPTURE(k);
      SizeInterval sizes = sizes_for({.lo = 0.01, .hi = 0.02}, n, k);
      REQUIRE(sizes.least > 0);
      REQUIRE(sizes.least <= sizes.most);
      CHECK(false_positive_rate(sizes.least, n, k) <= 0.02);
      CHECK(false_positive_rate(sizes.least - 1, n, k) > 0.02);
      CHECK(false_positive_rate(sizes.most, n, k) >= 0.01);
      CHECK(false_positive_rate(sizes.most + 1, n, k) < 0.01);
    }
  }
}

TEST_CASE("the planned rate is the rate of the folded filter, within 10 %") {
  Rng rng(9);
  auto elements = random_elements(rng, 1000);
  BloomFilter original = bloom_of(55440, 4, elements);
  FoldPlan plan = plan_fold(55440, 1000, 4, {.lo = 0.005, .hi = 0.05});
  REQUIRE(plan.within);
  REQUIRE(plan.admissible.size() > 3);
  CHECK(plan.chosen.size == plan.admissible.front().size);
  for (const Fold& fold : plan.admissible) {
    CAPTURE(fold.size);
    CHECK(fold.size * fold.factor == 55440);
    CHECK(fold.rate >= 0.005);
    CHECK(fold.rate <= 0.05);
    BloomFilter folded = original.fold(fold.size);
    double wrong = 0;
    for (int i = 0; i < 60000; ++i) wrong += folded.may_contain(random_element(rng)) ? 1 : 0;
    CHECK(wrong / 60000 == doctest::Approx(fold.rate).epsilon(0.15));
  }
}

TEST_CASE("without a divisor in the interval the plan takes the next larger, or the original") {
  // 2 * prime: the only folds are 2 and the prime.
  FoldPlan between = plan_fold(2 * 10007, 100, 4, {.lo = 0.01, .hi = 0.02});
  CHECK_FALSE(between.within);
  CHECK(between.chosen.size == 10007);
  FoldPlan full = plan_fold(1024, 1e6, 4, {.lo = 0.01, .hi = 0.02});
  CHECK_FALSE(full.within);
  CHECK(full.chosen.size == 1024);
  CHECK(full.chosen.factor == 1);
}

TEST_CASE("divisors, smooth numbers and composite records agree with trial division") {
  for (std::uint32_t n = 1; n <= 700; ++n) {
    std::vector<std::uint32_t> naive;
    for (std::uint32_t d = 1; d <= n; ++d) {
      if (n % d == 0) naive.push_back(d);
    }
    REQUIRE(divisors(n) == naive);
    auto factors = prime_factors(n);
    REQUIRE(std::accumulate(factors.begin(), factors.end(), 1U, std::multiplies<>()) == n);
  }
  CHECK(divisor_count(4294967295U) == 32);
  for (auto [first, last, smooth] :
       {std::tuple{1U, 500U, 7U}, {100000U, 101000U, 13U}, {720720U, 720800U, 31U}}) {
    std::vector<std::uint32_t> naive;
    for (std::uint32_t n = first; n <= last; ++n) {
      auto factors = prime_factors(n);
      if (factors.empty() || factors.back() <= smooth) naive.push_back(n);
    }
    CHECK(smooth_numbers(first, last, smooth) == naive);
  }
  CHECK(smooth_numbers(10, 5, 7).empty());
  CHECK(highly_composite(1000) ==
        std::vector<std::uint32_t>{1, 2, 4, 6, 12, 24, 36, 48, 60, 120, 180, 240, 360, 720, 840});
}

TEST_CASE("Table III: every printed number is largely composite but for gaps and misprints") {
  auto largely = largely_composite(200000);
  auto is = [&](std::uint32_t n) { return std::binary_search(largely.begin(), largely.end(), n); };
  for (std::uint32_t n :
       {2,     3,     4,     6,      8,      10,     12,     18,     20,     24,    30,    36,
        48,    60,    72,    84,     90,     96,     108,    120,    168,    180,   240,   360,
        420,   480,   504,   540,    600,    630,    660,    672,    720,    840,   1080,  1260,
        1440,  1680,  7560,  9240,   10080,  12600,  13860,  15120,  18480,  20160, 25200, 27720,
        30240, 32760, 36960, 37800,  40320,  41580,  42840,  43680,  45360,  50400, 55440, 65520,
        75600, 83160, 98280, 110880, 131040, 138600, 151200, 163800, 166320, 196560}) {
    CAPTURE(n);
    CHECK(is(n));
  }
  // What the printed table leaves out.
  for (std::uint32_t n : {1, 2160, 2520, 5040}) CHECK(is(n));
}

TEST_CASE("plan_original prefers sizes with many divisors") {
  auto choices = plan_original({.least = 50000, .most = 60000}, 13, 5);
  REQUIRE(choices.size() == 5);
  CHECK(choices.front().size == 55440);
  CHECK(choices.front().divisors == 120);
  CHECK(choices.front().largest_prime == 11);
  CHECK(choices[0].divisors >= choices[1].divisors);
}

TEST_CASE("a resizing filter keeps the rate in its interval while the set grows and shrinks") {
  Rng rng(10);
  RateInterval rates{.lo = 0.001, .hi = 0.02};
  SpectralShape shape{.counters = 55440, .k = 4};
  ResizingFilter filter(*SpectralFilter::make(shape), shape.counters, shape.k, rates);
  std::vector<Hash128> alive;
  int changes = 0;
  for (int step = 0; step < 3000; ++step) {
    bool grow = step < 1500 || alive.empty();
    if (grow) alive.push_back(random_element(rng));
    Hash128 element = alive.back();
    if (!grow) alive.pop_back();
    changes += filter.change(
        [&](SpectralFilter& original) {
          if (grow) {
            original.insert(element);
          } else {
            REQUIRE(original.remove(element));
          }
        },
        static_cast<double>(alive.size()));
    double rate = false_positive_rate(filter.size(), static_cast<double>(alive.size()), 4);
    REQUIRE(rate <= rates.hi);
    if (step % 500 != 499) continue;
    auto folded = filter.folded();
    REQUIRE(folded.has_value());
    for (const Hash128& here : alive) REQUIRE(folded->estimate(here) >= 1);
  }
  CHECK(changes > 20);
  CHECK(filter.size() < 100);
}

TEST_CASE("folds of different lengths together tell more than one, and never deny an element") {
  Rng rng(11);
  auto elements = random_elements(rng, 1000);
  BloomFilter original = bloom_of(720720, 3, elements);
  std::vector<std::uint32_t> admissible;
  for (std::uint32_t size : divisors(720720)) {
    if (size >= 4000 && size <= 6000) admissible.push_back(size);
  }
  REQUIRE(admissible.size() >= 4);
  std::vector<std::uint32_t> sent;
  FoldAggregate<BloomFilter> received;
  std::vector<double> wrong;
  for (int transmission = 0; transmission < 4; ++transmission) {
    std::uint32_t size = next_fold(admissible, sent);
    REQUIRE(std::find(sent.begin(), sent.end(), size) == sent.end());
    sent.push_back(size);
    received.add(original.fold(size));
    for (const Hash128& element : elements) REQUIRE(received.may_contain(element));
    int count = 0;
    Rng strangers(5);
    for (int i = 0; i < 30000; ++i)
      count += received.may_contain(random_element(strangers)) ? 1 : 0;
    wrong.push_back(count / 30000.0);
  }
  CHECK(wrong[1] < 0.3 * wrong[0]);
  CHECK(wrong[2] < wrong[1]);
  CHECK(wrong[3] <= wrong[2]);
  CHECK(next_fold(sent, sent) == 0);
}

TEST_SUITE_END();
