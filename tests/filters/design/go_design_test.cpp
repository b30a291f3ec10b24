// SPDX-License-Identifier: MIT
#include "filters/design/go_design.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "base/rng.h"
#include "filters/design/common_k_cost.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

Load table1() {
  return {{{5, 1}}, {{{120, 10}}, {{201, 20}}, {{5001, 500}}, {{3600001, 100}}, {{1800001, 100}}}};
}

Load random_scopes(Rng& rng) {
  Load load{{{5, 1}}, {}};
  for (int i = 0; i < 5; ++i) {
    std::int64_t scope = rng.between(1000, 100000);
    load.ranges.push_back(
        {{static_cast<double>(scope), static_cast<double>(rng.between(1, scope / 10))}});
  }
  return load;
}

double best_of(const Load& load) {
  auto found = design(load, {});
  REQUIRE(found);
  return found->total_fpr;
}

/// Every combination of places in the sequences near the given ones: a twin for few attributes.
double enumerate(const Load& load, int bits, int most_k, std::int64_t most_d) {
  GoCost cost(load, bits);
  double best = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= most_k; ++k) {
    std::vector<int> text_k(load.texts.size(), k);
    std::vector<Shape> line;
    for (std::int64_t d = most_d; d > 1; --d) line.push_back({k, d, 1});
    for (int s = 1; s <= k; ++s) line.push_back({k, 1, s});
    for (const Shape& a : line) {
      for (const Shape& b : line) {
        std::vector<Shape> pair{a, b};
        best = std::min(best, cost.total_at(cost.fill(cost.positions(pair, text_k)), pair, text_k));
      }
    }
  }
  return best;
}

}  // namespace

TEST_SUITE_BEGIN("filters/go_design");

TEST_CASE("best equals full enumeration on small problems of two ranges") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Load load{{{static_cast<int>(rng.between(0, 3)), 1}}, {}};
    for (int i = 0; i < 2; ++i) {
      double width = static_cast<double>(rng.between(2, 60));
      load.ranges.push_back({{width * static_cast<double>(rng.between(2, 40)), width}});
    }
    auto found = design(load, {.bits = 96, .k_high = 14});
    REQUIRE(found);
    CHECK(found->total_fpr == doctest::Approx(enumerate(load, 96, 14, 40)).epsilon(1e-9).scale(0));
  }
}

TEST_CASE("best is never above two-phase on wide ranges of Table 1 and on random scopes") {
  Rng rng(20242);
  for (int i = 0; i < 2000; ++i) {  // 1000 of each family
    Load load = i % 2 ? random_scopes(rng) : table1();
    if (i % 2 == 0) {
      for (RangeLoad& range : load.ranges) {
        auto most = static_cast<std::int64_t>(2 * range.size.width);
        range.size.width = static_cast<double>(rng.between(1, most));
      }
    }
    CAPTURE(i);
    CHECK(best_of(load) <= design(load, {.method = Method::two_phase})->total_fpr);
  }
}

TEST_CASE("kicking the result of best about finds nothing lower") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Load load = random_scopes(rng);
    auto found = design(load, {});
    REQUIRE(found);
    GoCost cost(load, 512);
    Mover mover(cost);
    for (int kick = 0; kick < 30; ++kick) {
      Candidate c = candidate_of(cost, *found);
      for (std::size_t i = 0; i < c.ranges.size(); ++i) {
        cost.step(i, c.ranges[i], rng.between(-4, 4));
      }
      mover.price(c);
      mover.descend(c);
      CHECK(c.cost >= found->total_fpr * (1 - 1e-9));
    }
  }
}

TEST_CASE("the reported total is the sum of the reported parts") {
  Load load = table1();
  load.ranges[1].weight = 3;
  load.texts[0].weight = 0.5;
  for (Method method : {Method::best, Method::two_phase, Method::thesis}) {
    auto found = design(load, {.method = method});
    REQUIRE(found);
    Rates rates = rate(load, *found);
    double sum = 5 * 0.5 * rates.texts[0].fpr;
    for (std::size_t i = 0; i < 5; ++i) sum += load.ranges[i].weight * rates.ranges[i].fpr;
    CHECK(found->total_fpr == doctest::Approx(sum).epsilon(1e-12));
    CHECK(rates.total_fpr == doctest::Approx(sum).epsilon(1e-12));
  }
}

TEST_CASE("a k per attribute is never worse than a common one, whatever the weights") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Load load = table1();
    load.texts[0].weight = rng.real() * 5;
    for (RangeLoad& range : load.ranges) range.weight = rng.chance(0.1) ? 0 : rng.real() * 10;
    auto common = design(load, {.own_k = false});
    auto own = design(load, {});
    REQUIRE(common);
    REQUIRE(own);
    CHECK(own->total_fpr <= common->total_fpr);
  }
}

TEST_CASE("a given k is kept by every method") {
  for (Method method : {Method::best, Method::two_phase, Method::thesis}) {
    for (int k : {1, 7, 40, 64}) {
      auto found = design(table1(), {.k_low = k, .k_high = k, .method = method});
      REQUIRE(found);
      CHECK(found->text_k[0] == k);
      for (const Shape& shape : found->ranges) CHECK(shape.k == k);
    }
  }
}

TEST_CASE("texts alone get the classic best k") {
  auto found = design({{{40, 1}}, {}}, {});
  REQUIRE(found);
  CHECK(found->text_k[0] == 9);  // 512/40 * ln 2 = 8.87
}

TEST_CASE("window queries ask for other groups than values do, and are designed for") {
  Load values = table1();
  Load windows = values;
  for (RangeLoad& range : windows.ranges) range.query = 20;
  auto for_values = design(values, {});
  auto for_windows = design(windows, {});
  REQUIRE(for_values);
  REQUIRE(for_windows);
  CHECK(for_windows->ranges != for_values->ranges);
  CHECK(for_windows->total_fpr <= rate(windows, *for_values).total_fpr);
}

TEST_CASE("the largest scopes end with every method") {
  Load load{{{3, 1}}, {{{design_limits::max_scope, 1e15}}, {{1e12, 2e9}}}};
  double best = best_of(load);
  auto report = design(load, {.method = Method::two_phase});
  REQUIRE(report);
  CHECK(report->total_fpr == doctest::Approx(best).epsilon(0.02).scale(0));
  auto thesis = design(load, {.method = Method::thesis});  // its greedy k stops early
  REQUIRE(thesis);
  CHECK(thesis->total_fpr >= best);
  CHECK(thesis->total_fpr < 1.1 * best);
}

TEST_CASE("a range far wider than the filter does not stop the thesis' search at d = 1") {
  auto found = design({{}, {{{5000001, 500000}}}}, {.bits = 64, .method = Method::thesis});
  REQUIRE(found);
  CHECK(found->ranges[0].d > 1000);
}

TEST_CASE("the sums for one k follow every step") {
  GoCost cost(table1(), 512);
  CommonKCost sums(cost, uniform_k(cost, phase1(table1(), 15).ranges, 15));
  Rng rng(9);
  for (int i = 0; i < 500; ++i) {
    std::size_t attribute = rng.below(5);
    Shape next = sums.now().ranges[attribute];
    if (!cost.step(attribute, next, rng.between(-3, 3))) continue;
    double change = 0;
    double promised = sums.with(attribute, next, change);
    sums.set(attribute, next);
    CAPTURE(i);
    CHECK(sums.now().cost == doctest::Approx(promised).epsilon(1e-10).scale(0));
  }
}

TEST_CASE("a load that makes no sense is refused with what was wanted") {
  auto text_of = [](const Load& load, const DesignOptions& options) {
    auto found = design(load, options);
    return found ? std::string("accepted") : found.error().text;
  };
  double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(text_of({}, {}) == "nothing to design for: no text, no range");
  CHECK(text_of(table1(), {.bits = 7}) == "bits must be 8 to 1048576, got 7");
  CHECK(text_of({{{1, 1}}, {}}, {.bits = 8}) == "accepted");
  CHECK(text_of({{{1, 1}}, {}}, {.bits = 1048576}) == "accepted");
  CHECK(text_of({{{1, 1}}, {}}, {.bits = 1048577}) == "bits must be 8 to 1048576, got 1048577");
  CHECK(text_of(table1(), {.k_low = 0}) == "k must lie in 1 to 64, got 0..64");
  CHECK(text_of(table1(), {.k_low = 9, .k_high = 8}) == "k must lie in 1 to 64, got 9..8");
  CHECK(text_of({{}, {{{10, 11}}}}, {}) == "range 0: the width must be 1 to the scope's 10");
  CHECK(text_of({{}, {{{0, 1}}}}, {}) == "range 0: the scope must hold 1 to 2^53 values");
  CHECK(text_of({{}, {{{10, 2}, nan}}}, {}) == "range 0: the weight must be a number of 0 or more");
  CHECK(text_of({{{1, -1}}, {}}, {}) == "the weight of texts must be a number of 0 or more");
  CHECK(text_of({{}, {{{10, 2}, 1, 11}}}, {}) == "range 0: the query must be 1 to 10 wide");
}

TEST_SUITE_END();
