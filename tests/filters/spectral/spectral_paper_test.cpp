// SPDX-License-Identifier: MIT
// The tables and figures of the spectral-filters paper, with the tolerance each is held to. What
// does not reproduce is told in docs/filters-spectral.md.
#include <doctest/doctest.h>

#include <set>

#include "filters/spectral/spectral_methods.h"
#include "filters/spectral/spectral_model.h"
#include "tests/filters/spectral/multiset.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/spectral_paper");

namespace {

constexpr std::size_t distinct = 1000;

std::uint32_t counters_for(double gamma, std::uint32_t k = 5) {
  return static_cast<std::uint32_t>(std::lround(distinct * k / gamma));
}

SpectralFilter make_ms(std::uint32_t m, std::uint32_t k, std::uint64_t salt) {
  return *SpectralFilter::make({.counters = m, .k = k, .salt = salt});
}
MinimalIncrease make_mi(std::uint32_t m, std::uint32_t k, std::uint64_t salt) {
  return *MinimalIncrease::make({.counters = m, .k = k, .salt = salt});
}
/// `m` counters in all, two thirds of them in the first filter.
RecurringMinimum make_rm(std::uint32_t m, std::uint32_t k, std::uint64_t salt) {
  return *RecurringMinimum::make(
      {.primary = {.counters = m - m / 3, .k = k, .salt = salt}, .secondary = m / 3});
}
/// Half of m on top, as in Table 3.1.
RecurringMinimum make_rm_on_top(std::uint32_t m, std::uint32_t k, std::uint64_t salt) {
  return *RecurringMinimum::make(
      {.primary = {.counters = m, .k = k, .salt = salt}, .secondary = m / 2});
}

/// What the paper did to show that minimal increase cannot delete; the class itself does not offer
/// it.
class DeletingMinimalIncrease {
 public:
  DeletingMinimalIncrease(std::uint32_t m, std::uint32_t k)
      : placement_(SpectralShape{.counters = m, .k = k}), counters_(m) {}
  void insert(const Hash128& element) {
    std::uint64_t raised = estimate(element) + 1;
    for (std::uint32_t at : placement_.of(element)) {
      if (counters_.get(at) < raised) counters_.set(at, raised);
    }
  }
  bool remove(const Hash128& element) {
    for (std::uint32_t at : placement_.of(element)) counters_.subtract(at, 1);
    return true;
  }
  std::uint64_t estimate(const Hash128& element) const {
    std::uint64_t least = max_count;
    for (std::uint32_t at : placement_.of(element)) least = std::min(least, counters_.get(at));
    return least;
  }

 private:
  Placement placement_;
  CounterArray counters_;
};

Errors& operator+=(Errors& a, const Errors& b) {
  a.additive += b.additive;
  a.ratio += b.ratio;
  a.below += b.below;
  return a;
}

/// Errors of the methods on the same streams, summed over the runs.
struct Comparison {
  Errors ms{}, mi{}, rm{}, rm_on_top{};

  void run(double skew, std::uint32_t m, std::uint32_t k, int runs) {
    for (int i = 0; i < runs; ++i) {
      auto salt = static_cast<std::uint64_t>(i);
      Rng rng(salt + 1);
      ZipfStream data(rng, distinct, 40000, skew);
      auto a = make_ms(m, k, salt);
      auto b = make_mi(m, k, salt);
      auto c = make_rm(m, k, salt);
      auto d = make_rm_on_top(m, k, salt);
      a.insert_all(data.stream);
      for (const Hash128& element : data.stream) {
        b.insert(element);
        c.insert(element);
        d.insert(element);
      }
      ms += errors_of(a, data.counts);
      mi += errors_of(b, data.counts);
      rm += errors_of(c, data.counts);
      rm_on_top += errors_of(d, data.counts);
    }
  }
};

}  // namespace

TEST_CASE(
    "Table 3.1: Bloom errors as printed, recurring minima within 0.07, gain of the same size") {
  struct Row {
    double gamma, bloom, recurring, gain;
  };
  // The printed gain of the last row, 11 480 352, comes from seeing no error among 1000 elements,
  // so it says nothing; in its place stands that of gamma 0.7, which more room must not fall short
  // of.
  const Row rows[] = {{1, 0.101, 0.657, 7.59},
                      {0.83, 0.057, 0.697, 11.7},
                      {0.7, 0.032, 0.812, 18.48},
                      {0.625, 0.021, 0.799, 20.3},
                      {0.5, 0.009, 0.969, 18.48}};
  for (const Row& row : rows) {
    CAPTURE(row.gamma);
    std::uint32_t m = counters_for(row.gamma);
    double bloom = bloom_error(distinct, m, 5);
    CHECK(bloom == doctest::Approx(row.bloom).epsilon(0.05));
    double seen = 0;
    double recurring = 0;
    double wrong = 0;
    double wrong_recurring = 0;
    for (std::uint64_t run = 0; run < 12; ++run) {
      Rng rng(run);
      ZipfStream data(rng, distinct, 30000, 0.5);
      SpectralFilter filter = make_ms(m, 5, run);
      filter.insert_all(data.stream);
      RecurringMinimum rm = make_rm_on_top(m, 5, run);
      for (const auto& [element, truth] : data.counts) rm.insert(element, truth);
      for (const auto& [element, truth] : data.counts) {
        bool again = rm.is_recurring(element);
        bool off = filter.estimate(element) != truth;
        seen += 1;
        recurring += again ? 1 : 0;
        wrong += off ? 1 : 0;
        wrong_recurring += again && off ? 1 : 0;
      }
    }
    CHECK(wrong / seen == doctest::Approx(bloom).epsilon(0.15));
    CHECK(std::abs(recurring / seen - row.recurring) < 0.07);
    RecurringModel model{.n = distinct,
                         .k = 5,
                         .recurring = recurring / seen,
                         .error_if_recurring = wrong_recurring / recurring};
    double gain = bloom / model.error(m / 2.0);
    CHECK(gain > row.gain / 2);
    CHECK(gain < row.gain * 4);
  }
}

TEST_CASE("Table 3.2: the ratio of errors for extra memory, within 2 % of the printed values") {
  // P(R) and P(E|R) are those of Table 3.1 at gamma 0.7.
  RecurringModel model{.n = 1000, .k = 5, .recurring = 0.812, .error_if_recurring = 0.002};
  double m = 5000 / 0.7;
  struct Row {
    double extra, k, ratio;
  };
  const Row rows[] = {{1, 10, 0.641},   {0.5, 7, 3.341}, {0.33, 6, 4.546},
                      {0.25, 6, 3.628}, {0.2, 6, 2.496}, {0.1, 5, 0.562}};
  for (const Row& row : rows) {
    CAPTURE(row.extra);
    double ratio = bloom_error(1000, m * (1 + row.extra), row.k) / model.error(m * row.extra);
    CHECK(ratio == doctest::Approx(row.ratio).epsilon(0.02));
  }
}

TEST_CASE(
    "Figure 6.1: minimal increase is best at every load, recurring minimum between up to 0.7") {
  double last = -1;
  for (double gamma : {0.25, 0.5, 0.7, 1.0, 2.0}) {
    CAPTURE(gamma);
    Comparison c;
    c.run(0.5, counters_for(gamma), 5, 5);
    CHECK(c.mi.additive <= c.ms.additive);
    CHECK(c.mi.ratio <= c.ms.ratio);
    CHECK(c.ms.ratio > last);  // rises with the load
    last = c.ms.ratio;
    if (gamma > 0.7) continue;
    CHECK(c.rm.additive < c.ms.additive);
    CHECK(c.rm_on_top.additive < 0.5 * c.ms.additive);
  }
}

TEST_CASE(
    "Figure 6.1c: with one position all methods agree, with more minimal increase gains most") {
  Comparison one;
  one.run(0.5, counters_for(0.7, 1), 1, 2);
  CHECK(one.mi.ratio == doctest::Approx(one.ms.ratio));
  Comparison three;
  three.run(0.5, counters_for(0.7, 3), 3, 3);
  Comparison five;
  five.run(0.5, counters_for(0.7, 5), 5, 3);
  CHECK(three.mi.additive < three.ms.additive);
  CHECK(five.mi.additive / five.ms.additive < three.mi.additive / three.ms.additive);
  Comparison two;
  two.run(0.5, counters_for(0.7, 2), 2, 3);
  CHECK(two.rm_on_top.additive > 0.3 * two.ms.additive);  // "needs k of at least 3"
  CHECK(five.rm_on_top.additive < 0.1 * five.ms.additive);
}

TEST_CASE("Figure 6.3, no deletions: minimal increase is best at every skew and hardly changes") {
  for (double skew : {0.0, 0.5, 1.0, 1.5}) {
    CAPTURE(skew);
    Comparison c;
    c.run(skew, counters_for(0.7), 5, 3);
    CHECK(c.mi.additive < c.ms.additive);
    CHECK(c.mi.ratio < c.ms.ratio);
    CHECK(c.rm_on_top.additive < c.ms.additive);
    CHECK(c.rm_on_top.ratio < c.ms.ratio);
    CHECK(c.mi.additive / 3 < 2);
  }
}

TEST_CASE("Figure 6.3, with deletions: only minimal increase errs below, and becomes the worst") {
  for (double skew : {0.2, 1.0}) {
    CAPTURE(skew);
    Rng rng(11);
    ZipfStream data(rng, distinct, 40000, skew);
    std::uint32_t m = counters_for(0.7);
    auto ms = make_ms(m, 5, 1);
    auto rm = make_rm_on_top(m, 5, 1);
    DeletingMinimalIncrease mi(m, 5);
    ExactCounts twin;
    std::size_t phase = data.stream.size() / 8;
    for (std::size_t i = 0; i < data.stream.size(); ++i) {
      ms.insert(data.stream[i]);
      rm.insert(data.stream[i]);
      mi.insert(data.stream[i]);
      ++twin[data.stream[i]];
      if (i % phase != phase - 1) continue;
      for (std::size_t gone = 0; gone < distinct / 20; ++gone) {
        const Hash128& element = data.elements[rng.below(distinct)];
        for (; twin[element] > 0; --twin[element]) {
          REQUIRE(ms.remove(element));
          REQUIRE(rm.remove(element));
          mi.remove(element);
        }
      }
    }
    Errors ems = errors_of(ms, twin);
    Errors erm = errors_of(rm, twin);
    Errors emi = errors_of(mi, twin);
    CHECK(ems.below == 0);
    CHECK(erm.below < 0.002);
    CHECK(emi.below > 0.5 * emi.ratio);
    CHECK(emi.ratio > 2 * ems.ratio);
    CHECK(erm.additive < ems.additive);
  }
}

TEST_CASE(
    "Figure 6.4: in a sliding window recurring minimum is best and minimal increase unusable") {
  for (double skew : {0.2, 0.8}) {
    CAPTURE(skew);
    Rng rng(12);
    ZipfStream data(rng, distinct, 60000, skew);
    std::uint32_t m = counters_for(0.7);
    std::size_t width = data.stream.size() / 5;
    SlidingWindow ms(make_ms(m, 5, 2), width);
    SlidingWindow rm(make_rm_on_top(m, 5, 2), width);
    SlidingWindow mi(DeletingMinimalIncrease(m, 5), width);
    ExactCounts twin;
    for (std::size_t i = 0; i < data.stream.size(); ++i) {
      ms.push(data.stream[i]);
      rm.push(data.stream[i]);
      mi.push(data.stream[i]);
      ++twin[data.stream[i]];
      if (i >= width) --twin[data.stream[i - width]];
    }
    Errors ems = errors_of(ms.filter(), twin);
    Errors erm = errors_of(rm.filter(), twin);
    Errors emi = errors_of(mi.filter(), twin);
    CHECK(ems.below == 0);
    CHECK(erm.additive < ems.additive);
    CHECK(emi.ratio > 5 * ems.ratio);
    CHECK(emi.additive > erm.additive);
  }
}

namespace {

/// Bloom errors among the 330 most frequent of 1000 elements, by thirds.
struct LemmaTwo {
  static constexpr double skew = 1;
  static constexpr double threshold = 0.5;
  double errors[3] = {};
  double large[3] = {};  // relative error above the threshold
  double bound[3] = {};  // what the lemma allows

  /// With `one_other_only` those errors whose least counter is shared with one other element, which
  /// is what the lemma supposes.
  void run(double gamma, std::uint64_t seed, bool one_other_only) {
    Rng rng(seed);
    SpectralFilter filter = make_ms(counters_for(gamma), 5, seed);
    std::vector<std::uint32_t> sharers(filter.shape().counters);
    std::vector<Hash128> elements;
    std::vector<double> truths;
    for (std::size_t i = 0; i < distinct; ++i) {
      elements.push_back(random_element(rng));
      truths.push_back(std::floor(1e6 / std::pow(static_cast<double>(i + 1), skew)));
      filter.insert(elements.back(), static_cast<std::uint64_t>(truths.back()));
      Positions at = filter.positions_of(elements.back());
      for (std::uint32_t counter : std::set<std::uint32_t>(at.begin(), at.end())) {
        ++sharers[counter];
      }
    }
    for (std::size_t i = 0; i < 330; ++i) {
      std::uint64_t estimate = filter.estimate(elements[i]);
      double off = static_cast<double>(estimate) / truths[i] - 1;
      bool alone = false;
      for (std::uint32_t counter : filter.positions_of(elements[i])) {
        alone |= filter.counters().get(counter) == estimate && sharers[counter] == 2;
      }
      if (off <= 0 || (one_other_only && !alone)) continue;
      errors[i / 110] += 1;
      large[i / 110] += off > threshold ? 1 : 0;
      bound[i / 110] +=
          relative_error_bound(static_cast<double>(i + 1), distinct, 5, skew, threshold);
    }
  }
};

}  // namespace

TEST_CASE(
    "Lemma 2: among Bloom errors, relative errors above T are no more frequent than the bound") {
  // n = 1000, k = 5: the bound reaches 1 at rank 360 (the paper's example); below it must hold.
  CHECK(relative_error_bound(360, 1000, 5, LemmaTwo::skew, LemmaTwo::threshold) ==
        doctest::Approx(1).epsilon(0.02));
  // At gamma 0.5 a counter that two others share, which the lemma leaves out, is rare enough. At
  // 0.7 it is not; there the lemma holds for those errors it speaks of.
  for (double gamma : {0.5, 0.7}) {
    CAPTURE(gamma);
    LemmaTwo got;
    int runs = gamma == 0.5 ? 300 : 120;
    for (int run = 0; run < runs; ++run) {
      got.run(gamma, static_cast<std::uint64_t>(run), gamma > 0.5);
    }
    for (std::size_t third = 0; third < 3; ++third) {
      CAPTURE(third);
      REQUIRE(got.errors[third] > 200);
      CHECK(got.large[third] <= got.bound[third] + 2);
    }
  }
}

TEST_CASE("Figure 2.1: expected relative errors rise with the rank, and skews cross over") {
  CHECK(expected_relative_error(100, 10000, 5, 1) < expected_relative_error(5000, 10000, 5, 1));
  CHECK(expected_relative_error(100, 10000, 5, 2) < expected_relative_error(100, 10000, 5, 0.2));
  CHECK(expected_relative_error(9999, 10000, 5, 2) > expected_relative_error(9999, 10000, 5, 0.2));
}

TEST_CASE("Figure 5.1: iceberg errors rise, then fall with the threshold, the earlier the skewer") {
  std::uint64_t last_peak = 1000;
  for (double skew : {0.2, 0.6, 1.0, 1.4}) {
    CAPTURE(skew);
    Rng rng(3);
    ZipfStream data(rng, distinct, 100000, skew);
    std::vector<std::uint64_t> frequencies;
    for (const auto& [element, truth] : data.counts) frequencies.push_back(truth);
    double most = 0;
    std::uint64_t peak = 0;
    for (std::uint64_t t = 1; t < 400; t += t < 20 ? 1 : 7) {
      double error = iceberg_error(frequencies, t, 5000, 5);
      if (error > most) {
        most = error;
        peak = t;
      }
    }
    CHECK(most < bloom_error(distinct, 5000, 5));
    CHECK(peak < last_peak);
    CHECK(iceberg_error(frequencies, 1, 5000, 5) < most / 2);
    CHECK(iceberg_error(frequencies, 10 * peak, 5000, 5) < most / 2);
    // "Never exceeds 0.025" is true from about twice the mean count on. Below it the formula itself
    // goes to 0.1 for even data: all are below the threshold, any other would lift them above it.
    CHECK(iceberg_error(frequencies, 215, 5000, 5) < 0.025);
    if (skew == 0.2) CHECK(most > 0.09);
    last_peak = peak;
  }
}

TEST_CASE("the model of iceberg errors is met within a factor 1.7") {
  double model = 0;
  double seen = 0;
  Rng rng(21);
  for (std::uint64_t run = 0; run < 10; ++run) {
    ZipfStream data(rng, distinct, 20000, 0.6);
    std::vector<std::uint64_t> frequencies;
    SpectralFilter filter = make_ms(5000, 5, run);
    filter.insert_all(data.stream);
    double wrong = 0;
    for (const auto& [element, truth] : data.counts) {
      frequencies.push_back(truth);
      wrong += truth < 20 && filter.at_least(element, 20) ? 1 : 0;
    }
    model += iceberg_error(frequencies, 20, 5000, 5);
    seen += wrong / static_cast<double>(data.counts.size());
  }
  CHECK(seen / model > 0.7);
  CHECK(seen / model < 1.7);  // the model leaves out counters that two elements share
}

TEST_CASE(
    "recurring minimum beside the exact counts: wrong below the truth in less than 1 in 300") {
  double below = 0;
  double trapped = 0;
  double unmarked = 0;
  for (std::uint64_t run = 0; run < 6; ++run) {
    Rng rng(run + 50);
    ZipfStream data(rng, distinct, 20000, 0.5);
    std::uint32_t m = counters_for(0.7);
    RecurringShape shape{.primary = {.counters = m, .k = 5, .salt = run}, .secondary = m / 2};
    auto rm = *RecurringMinimum::make(shape);
    auto trm = *TrappingRecurringMinimum::make(shape);
    shape.marker = false;
    auto bare = *RecurringMinimum::make(shape);
    for (const Hash128& element : data.stream) {
      rm.insert(element);
      trm.insert(element);
      bare.insert(element);
    }
    below += errors_of(rm, data.counts).below / 6;
    trapped += errors_of(trm, data.counts).below / 6;
    unmarked += errors_of(bare, data.counts).below / 6;
    CHECK(trm.traps() > 0);
  }
  CHECK(below < 0.0034);
  CHECK(trapped < 0.03);
  CHECK(unmarked < 0.05);
}

TEST_SUITE_END();
