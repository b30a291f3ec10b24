// SPDX-License-Identifier: MIT
#include "filters/spectral/spectral.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "filters/spectral/position_batch.h"
#include "filters/spectral/spectral_codec.h"
#include "filters/spectral/spectral_methods.h"
#include "tests/filters/checksum.h"
#include "tests/filters/spectral/multiset.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/spectral");

namespace {

template <typename Filter>
constexpr bool can_remove = requires(Filter filter, Hash128 e) {
  filter.remove(e);
};

static_assert(can_remove<SpectralFilter>);
static_assert(can_remove<RecurringMinimum>);
static_assert(!can_remove<MinimalIncrease>);
static_assert(!can_remove<TrappingRecurringMinimum>);

SpectralFilter filter_of(const SpectralShape& shape, const std::vector<Hash128>& stream) {
  SpectralFilter out = *SpectralFilter::make(shape);
  out.insert_all(stream);
  return out;
}

}  // namespace

TEST_CASE("Claim 1: minimum selection and minimal increase never estimate below the truth") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    SpectralShape shape{.counters = static_cast<std::uint32_t>(2 + rng.below(2000)),
                        .k = static_cast<std::uint32_t>(1 + rng.below(12)),
                        .salt = seed};
    ZipfStream data(rng, 1 + rng.below(300), 3000, 2 * rng.real());
    SpectralFilter ms = *SpectralFilter::make(shape);
    MinimalIncrease mi = *MinimalIncrease::make(shape);
    for (const Hash128& element : data.stream) {
      ms.insert(element);
      mi.insert(element);
    }
    for (const auto& [element, truth] : data.counts) {
      REQUIRE(ms.estimate(element) >= truth);
      REQUIRE(mi.estimate(element) >= truth);
      REQUIRE(mi.estimate(element) <= ms.estimate(element));  // Claim 4
      REQUIRE(ms.at_least(element, truth));
      REQUIRE_FALSE(ms.at_least(element, ms.estimate(element) + 1));
    }
  }
}

TEST_CASE("Claim 1 survives deletions of what was inserted, and the empty filter comes back") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    ZipfStream data(rng, 100, 2000, 1);
    SpectralFilter filter = *SpectralFilter::make({.counters = 300, .k = 4});
    ExactCounts twin;
    std::vector<Hash128> alive;
    for (const Hash128& element : data.stream) {
      filter.insert(element);
      ++twin[element];
      alive.push_back(element);
      if (!rng.chance(0.4)) continue;
      std::swap(alive[rng.below(alive.size())], alive.back());
      REQUIRE(filter.remove(alive.back()));
      --twin[alive.back()];
      alive.pop_back();
    }
    for (const auto& [element, truth] : twin) REQUIRE(filter.estimate(element) >= truth);
    for (const Hash128& element : alive) REQUIRE(filter.remove(element));
    CHECK(filter == *SpectralFilter::make({.counters = 300, .k = 4}));
  }
}

TEST_CASE("removing what is not there is refused and changes nothing") {
  Rng rng(1);
  SpectralFilter filter = *SpectralFilter::make({.counters = 1000, .k = 5});
  Hash128 element = random_element(rng);
  filter.insert(element, 3);
  SpectralFilter before = filter;
  CHECK_FALSE(filter.remove(random_element(rng)));
  CHECK_FALSE(filter.remove(element, 4));
  CHECK(filter == before);
  CHECK(filter.remove(element, 3));
  CHECK(filter.total() == 0);
}

TEST_CASE("insert_all equals inserting one by one, for every batch size") {
  Rng rng(3);
  ZipfStream data(rng, 500, 700, 0.5);
  for (std::size_t size : {0UL, 1UL, 7UL, 63UL, 64UL, 65UL, 129UL, 700UL}) {
    CAPTURE(size);
    for (std::uint32_t k : {1U, 5U, 32U}) {
      SpectralShape shape{.counters = 4999, .k = k};
      std::vector<Hash128> part(data.stream.begin(),
                                data.stream.begin() + static_cast<std::ptrdiff_t>(size));
      SpectralFilter single = *SpectralFilter::make(shape);
      for (const Hash128& element : part) single.insert(element);
      CHECK(filter_of(shape, part) == single);
    }
  }
}

TEST_CASE("texts counted together, in blocks or not, are what their elements counted singly are") {
  Rng rng(31);
  std::vector<std::string> texts(700);
  for (std::string& text : texts) {
    text = "v=" + std::to_string(rng.below(90)) + std::string(rng.below(300), '.');
  }
  std::vector<std::string_view> views(texts.begin(), texts.end());
  for (std::uint32_t block : {0U, 64U, 256U}) {
    for (std::uint32_t k : {1U, 5U, 6U, 10U}) {
      for (std::size_t size : {0UL, 1UL, 15UL, 16UL, 17UL, 33UL, 700UL}) {
        CAPTURE(block);
        CAPTURE(k);
        CAPTURE(size);
        SpectralShape shape{.counters = 64 * 20, .k = k, .salt = 5, .block = block};
        SpectralFilter single = *SpectralFilter::make(shape);
        SpectralFilter hashed = single;
        SpectralFilter together = single;
        std::vector<Hash128> elements;
        for (std::size_t i = 0; i < size; ++i) elements.push_back(shape.element(views[i]));
        for (const Hash128& element : elements) single.insert(element);
        hashed.insert_all(elements);
        together.insert_all(std::span<const std::string_view>(views).first(size));
        CHECK(hashed == single);
        CHECK(together == single);
      }
    }
  }
}

TEST_CASE("in lines of 64 counters pass 255 together as well as one by one, and stop at the end") {
  SpectralShape shape{.counters = 128, .k = 7, .block = 64};
  Rng rng(32);
  std::vector<Hash128> few(5);
  for (Hash128& element : few) element = random_element(rng);
  SpectralFilter single = *SpectralFilter::make(shape);
  for (const Hash128& element : few) single.insert(element, max_count - 700);
  SpectralFilter together = single;
  std::vector<Hash128> stream;
  for (int i = 0; i < 4000; ++i) stream.push_back(few[rng.below(few.size())]);
  for (const Hash128& element : stream) single.insert(element);
  together.insert_all(stream);
  CHECK(together == single);
  CHECK(single.estimate(few[0]) == max_count);
}

TEST_CASE("an element counts once in a line even where two of its places agree") {
  Rng rng(33);
  SpectralFilter filter = *SpectralFilter::make({.counters = 640, .k = 10, .block = 64});
  double positions = 0;
  for (int i = 0; i < 2000; ++i) {
    Hash128 element = random_element(rng);
    Positions at = filter.positions_of(element);
    positions += at.size();
    REQUIRE(std::set<std::uint32_t>(at.begin(), at.end()).size() == at.size());
    SpectralFilter alone = filter;
    alone.insert(element, 3);
    for (std::uint32_t i_at : at) REQUIRE(alone.counters().get(i_at) == 3);
    REQUIRE(alone.remove(element, 3));
    REQUIRE(alone == filter);
  }
  CHECK(positions / 2000 ==
        doctest::Approx(Placement(filter.shape()).mean_positions()).epsilon(0.01));
}

TEST_CASE("texts spread over lines and places as the Bloom error of blocks predicts") {
  // The mean over lines, each with a Poisson share of the elements, of the chance that a stranger's
  // places are all hit; with texts that differ in their last characters only.
  constexpr std::uint32_t lines = 2000;
  constexpr double mean = 9;
  SpectralShape shape{.counters = 64 * lines, .k = 5, .block = 64};
  SpectralFilter filter = *SpectralFilter::make(shape);
  for (std::uint32_t i = 0; i < lines * mean; ++i) {
    filter.insert(shape.element("attribute=value " + std::to_string(i)));
  }
  double wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    wrong += filter.estimate(shape.element("attribute=other " + std::to_string(i))) > 0 ? 1 : 0;
  }
  double expected = 0;
  double share = std::exp(-mean);
  for (int load = 0; load < 60; share *= mean / ++load) {
    expected += share * std::pow(1 - std::pow(63.0 / 64, 5 * load), 5);
  }
  CHECK(wrong / 100000 == doctest::Approx(expected).epsilon(0.08));
}

TEST_CASE("a batch has the positions of the single elements") {
  Rng rng(8);
  for (std::uint32_t m : {2U, 3U, 7000000U, 1U << 30, (1U << 31) - 1}) {
    std::vector<Hash128> elements(61);
    for (auto& element : elements) element = random_element(rng);
    PositionBatch batch(Placement(SpectralShape{.counters = m, .k = 7}));
    batch.compute(elements);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      for (std::uint32_t j = 0; j < 7; ++j) {
        REQUIRE(batch.of(i, j) == Modulus(m).of(word(elements[i], j)));
      }
    }
  }
}

TEST_CASE("with blocks all positions of an element lie in one block, in batches as one by one") {
  Rng rng(14);
  for (std::uint32_t block : {64U, 256U, 4096U}) {
    CAPTURE(block);
    SpectralShape shape{.counters = block * 12, .k = 6, .block = block};
    SpectralFilter filter = *SpectralFilter::make(shape);
    ZipfStream data(rng, 300, 3000, 1);
    filter.insert_all(data.stream);
    SpectralFilter single = *SpectralFilter::make(shape);
    for (const Hash128& element : data.stream) single.insert(element);
    CHECK(filter == single);
    for (const auto& [element, truth] : data.counts) {
      REQUIRE(filter.estimate(element) >= truth);
      for (std::uint32_t at : filter.positions_of(element)) {
        REQUIRE(at / block == *filter.positions_of(element).begin() / block);
      }
    }
    SpectralShape folded = shape;
    folded.counters = block * 3;
    SpectralFilter direct = *SpectralFilter::make(folded);
    direct.insert_all(data.stream);
    CHECK(*filter.fold(block * 3) == direct);
    CHECK_FALSE(filter.fold(block).has_value());  // one block alone is no choice
    CHECK_FALSE(filter.fold(block / 2).has_value());
    CHECK(SpectralView::open(encode(filter, SpectralForm::compact))->shape() == shape);
  }
  CHECK_FALSE(SpectralFilter::make({.counters = 1000, .k = 5, .block = 64}).has_value());
  CHECK_FALSE(SpectralFilter::make({.counters = 960, .k = 5, .block = 96}).has_value());
}

TEST_CASE("the union of two filters is the filter of both streams") {
  Rng rng(4);
  ZipfStream a(rng, 100, 1000, 1);
  ZipfStream b(rng, 100, 1000, 1);
  SpectralShape shape{.counters = 720, .k = 5, .salt = 9};
  SpectralFilter both = filter_of(shape, a.stream);
  REQUIRE(both.add(filter_of(shape, b.stream)).has_value());
  std::vector<Hash128> stream = a.stream;
  stream.insert(stream.end(), b.stream.begin(), b.stream.end());
  CHECK(both == filter_of(shape, stream));
  CHECK_FALSE(both.add(*SpectralFilter::make({.counters = 360, .k = 5, .salt = 9})).has_value());
}

TEST_CASE("the product of two filters bounds the join of their multisets from above") {
  Rng rng(5);
  ZipfStream a(rng, 200, 2000, 0.5);
  SpectralShape shape{.counters = 1500, .k = 5};
  std::vector<Hash128> half(a.stream.begin(), a.stream.begin() + 700);
  SpectralFilter joined = filter_of(shape, a.stream);
  REQUIRE(joined.multiply(filter_of(shape, half)).has_value());
  ExactCounts b;
  for (const Hash128& element : half) ++b[element];
  for (const auto& [element, count] : a.counts) {
    auto there = b.find(element);
    std::uint64_t truth = there == b.end() ? 0 : count * there->second;
    REQUIRE(joined.estimate(element) >= truth);
  }
}

TEST_CASE("counts at the limit saturate in insert, union and product") {
  SpectralFilter filter = *SpectralFilter::make({.counters = 64, .k = 3});
  Hash128 element{.low = 1, .high = 2};
  filter.insert(element, max_count - 1);
  filter.insert(element, 100);
  CHECK(filter.estimate(element) == max_count);
  SpectralFilter twice = filter;
  REQUIRE(twice.add(filter).has_value());
  CHECK(twice.estimate(element) == max_count);
  REQUIRE(twice.multiply(filter).has_value());
  CHECK(twice.estimate(element) == max_count);
  CHECK(filter.remove(element, 5));
  CHECK(filter.estimate(element) == max_count);  // what was lost count of cannot be taken back
}

TEST_CASE("the unbiased estimator is right on average where minimum selection is not") {
  Rng rng(6);
  double plain = 0;
  double medians = 0;
  double minimum = 0;
  double truths = 0;
  for (int round = 0; round < 20; ++round) {
    ZipfStream data(rng, 1000, 20000, 0.3);
    SpectralFilter filter = filter_of({.counters = 1500, .k = 6}, data.stream);
    for (const auto& [element, truth] : data.counts) {
      plain += filter.unbiased(element);
      medians += filter.unbiased(element, 3);
      minimum += static_cast<double>(filter.estimate(element));
      truths += static_cast<double>(truth);
    }
  }
  CHECK(plain / truths == doctest::Approx(1).epsilon(0.02));
  CHECK(minimum / truths > 1.5);
  CHECK(std::abs(medians / truths - 1) < minimum / truths - 1);
}

TEST_CASE("a filter as bytes is read in place, in both forms, and comes back equal") {
  Rng rng(7);
  ZipfStream data(rng, 1000, 20000, 1);
  SpectralFilter filter = filter_of({.counters = 7143, .k = 5, .salt = 77}, data.stream);
  for (SpectralForm form : {SpectralForm::string_array, SpectralForm::compact}) {
    Bytes bytes = encode(filter, form);
    auto view = SpectralView::open(bytes);
    REQUIRE(view.has_value());
    CHECK(view->filter() == filter);
    for (const auto& [element, truth] : data.counts) {
      REQUIRE(view->estimate(element) == filter.estimate(element));
      REQUIRE(view->at_least(element, truth));
    }
    for (std::size_t size = 0; size < bytes.size(); size += size < 60 ? 1 : 97) {
      REQUIRE_FALSE(SpectralView::open(ByteView(bytes).first(size)).has_value());
    }
    for (std::size_t i = 0; i < bytes.size(); i += i < 60 ? 1 : 53) {
      Bytes flipped = bytes;
      flipped[i] ^= 1;
      REQUIRE_FALSE(SpectralView::open(flipped).has_value());
    }
  }
  CHECK(encode(filter, SpectralForm::compact).size() <
        encode(filter, SpectralForm::string_array).size());
}

TEST_CASE("the format of a filter is frozen: golden bytes") {
  SpectralFilter filter = *SpectralFilter::make({.counters = 8, .k = 2, .salt = 1});
  filter.insert(filter.shape().element("chess"), 3);
  CHECK(
      to_hex(encode(filter, SpectralForm::compact)) ==
      "424b534602020200000000000000080000000000000001000000000000000360700360f8f20425424b4343010200"
      "01000000000008000000000000000c00000000000000000000000000000000000000000000000038070000000000"
      "00000000da78ffe5e9ca2451");
}

TEST_CASE("shapes beyond the limits are refused") {
  CHECK_FALSE(SpectralFilter::make({.counters = 1, .k = 5}).has_value());
  CHECK_FALSE(SpectralFilter::make({.counters = (1U << 30) + 1, .k = 5}).has_value());
  CHECK_FALSE(SpectralFilter::make({.counters = 100, .k = 0}).has_value());
  CHECK_FALSE(MinimalIncrease::make({.counters = 100, .k = 33}).has_value());
  CHECK(SpectralFilter::make({.counters = 128, .k = 10, .block = 64}).has_value());
  CHECK_FALSE(SpectralFilter::make({.counters = 128, .k = 11, .block = 64}).has_value());
  CHECK_FALSE(
      RecurringMinimum::make({.primary = {.counters = 100, .k = 5}, .secondary = 1}).has_value());
}

TEST_SUITE_END();
