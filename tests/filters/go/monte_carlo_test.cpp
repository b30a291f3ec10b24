// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>

#include "filters/design/go_simulation.h"
#include "filters/go/go_model.h"

using namespace beckon;
using namespace beckon::filters;

// Real filters with real hashing against the formulas, and against the figures of an independent
// simulation with 60 000 filters a case. Seeds are fixed, so a pass is a pass for ever.
TEST_SUITE_BEGIN("filters/monte_carlo");

namespace {

Shape shape_of(const SimulationSpec& spec, const SimulationSpec::Range& range) {
  return {.k = static_cast<int>(spec.k),
          .d = static_cast<std::int64_t>(range.grouping.d),
          .s = static_cast<int>(range.grouping.s)};
}

RangeSize size_of(const SimulationSpec::Range& range) {
  return {.scope = static_cast<double>(range.scope), .width = static_cast<double>(range.width)};
}

double positions_of(const SimulationSpec& spec) {
  double positions = static_cast<double>(spec.texts) * spec.k;
  for (const auto& range : spec.ranges) {
    positions += go_positions(static_cast<double>(range.width), shape_of(spec, range));
  }
  return positions;
}

/// What go_model expects; with the fluctuation of real filters or without.
double model_of(const SimulationSpec& spec, bool fluctuating) {
  double positions = positions_of(spec);
  Fill fill = fluctuating ? fluctuating_fill(positions, spec.bits) : fill_of(positions, spec.bits);
  double rate = spec.texts * text_fpr(fill, static_cast<int>(spec.k));
  for (const auto& range : spec.ranges) {
    Shape shape = shape_of(spec, range);
    auto w = static_cast<double>(spec.query);
    rate += spec.question == Question::covers ? covers_fpr(size_of(range), shape, w, fill)
            : spec.question == Question::any  ? any_fpr(size_of(range), shape, w, fill)
                                              : go_fpr(size_of(range), shape, fill);
  }
  return rate;
}

SimulationResult simulate(const SimulationSpec& spec, int trials, std::uint64_t seed = 1) {
  GoSimulation simulation(spec, Rng(seed));
  for (int i = 0; i < trials; ++i) simulation.run_trial();
  SimulationResult result = simulation.result();
  CHECK(result.false_negatives == 0);
  return result;
}

SimulationSpec single(std::uint64_t scope, std::uint64_t width, std::uint32_t k, Grouping grouping,
                      std::uint32_t far_samples = 60) {
  return {.bits = 512, .k = k, .ranges = {{scope, width, grouping}}, .far_samples = far_samples};
}

SimulationSpec table_1(std::uint32_t k, std::vector<Grouping> groupings) {
  constexpr std::uint64_t scopes[] = {120, 201, 5001, 3600001, 1800001};
  constexpr std::uint64_t widths[] = {10, 20, 500, 100, 100};
  SimulationSpec spec{.bits = 512, .k = k, .texts = 5, .far_samples = 30};
  for (std::size_t i = 0; i < 5; ++i) spec.ranges.push_back({scopes[i], widths[i], groupings[i]});
  return spec;
}

/// The measured rate lies within `tolerance` of the model, and its own error is small enough to
/// tell.
void check_close(const SimulationSpec& spec, int trials, double tolerance) {
  SimulationResult result = simulate(spec, trials);
  double model = model_of(spec, false);
  CAPTURE(model);
  CAPTURE(result.rate);
  CAPTURE(result.standard_error);
  CHECK(result.standard_error < model * tolerance * 0.6);
  CHECK(std::abs(result.rate / model - 1) < tolerance);
}

}  // namespace

TEST_CASE("GO filters of single ranges make as many mistakes as the model says") {
  check_close(single(10000, 100, 8, {1, 1}, 300), 12000, 0.05);
  check_close(single(10000, 400, 12, {2, 1}), 8000, 0.03);
  check_close(single(10000, 1000, 8, {6, 1}), 8000, 0.03);
}

TEST_CASE("grouping, overlapping and traditional filters make as many mistakes as the model says") {
  check_close(single(1000, 100, 8, {4, 8}), 3000, 0.03);
  check_close(single(1000, 40, 8, {1, 3}, 300), 20000, 0.1);
  SimulationSpec traditional = single(10000, 44, 8, {1, 8});
  traditional.far_samples = 1000;
  check_close(traditional, 2000, 0.04);
  double corrected = model_of(traditional, true);
  CHECK(corrected == doctest::Approx(3.8174e-3).epsilon(0.002));
  CHECK(simulate(traditional, 2000, 2).rate == doctest::Approx(corrected).epsilon(0.025));
}

TEST_CASE(
    "the profile of the report's Table 1 makes as many mistakes and sets as many bits as printed") {
  SimulationSpec k15 = table_1(15, {{1, 6}, {1, 4}, {5, 1}, {65, 1}, {46, 1}});
  check_close(k15, 5000, 0.04);
  CHECK(model_of(k15, false) == doctest::Approx(5.4956e-3).epsilon(1e-4));
  CHECK(simulate(k15, 500).set_bits == doctest::Approx(270.08).epsilon(0.004));
  SimulationSpec k11 = table_1(11, {{1, 4}, {1, 3}, {7, 1}, {81, 1}, {57, 1}});
  check_close(k11, 5000, 0.04);
  CHECK(model_of(k11, false) == doctest::Approx(5.8185e-3).epsilon(1e-4));
  CHECK(simulate(k11, 500).set_bits == doctest::Approx(214.24).epsilon(0.004));
}

TEST_CASE("any-of-range questions are mistaken as often as the model says") {
  for (std::uint64_t query : {5, 50}) {
    CAPTURE(query);
    for (SimulationSpec spec : {single(10000, 300, 8, {1, 1}), single(10000, 400, 12, {2, 1}),
                                single(10000, 100, 10, {4, 10}), single(10000, 100, 9, {1, 3})}) {
      CAPTURE(spec.ranges[0].grouping.s);
      spec.question = Question::any;
      spec.query = query;
      spec.far_samples = 300;
      check_close(spec, 2500, 0.1);
    }
  }
}

TEST_CASE("covers questions are mistaken as often as the model says") {
  for (SimulationSpec spec : {single(10000, 300, 8, {1, 1}), single(10000, 400, 12, {2, 1}),
                              single(10000, 100, 10, {4, 10}), single(10000, 100, 9, {1, 3})}) {
    CAPTURE(spec.ranges[0].grouping.s);
    spec.question = Question::covers;
    spec.query = 30;
    check_close(spec, 4000, 0.08);
  }
}

// The model's sum ends with windows that touch the range. A window narrower than the reach of a
// group can lie just outside and still borrow most of its positions, so its rate is higher, though
// never above a single value's.
TEST_CASE(
    "covers questions narrower than a group's reach lie between the model and a value's rate") {
  for (SimulationSpec spec : {single(10000, 100, 8, {1, 1}), single(10000, 400, 12, {2, 1})}) {
    double value = model_of(spec, false);
    spec.question = Question::covers;
    spec.query = 2;
    double touching = model_of(spec, false);
    SimulationResult result = simulate(spec, 8000);
    CHECK(result.rate > touching + 3 * result.standard_error);
    CHECK(result.rate < value + 3 * result.standard_error);
  }
}

TEST_CASE("a setting without room for questions is refused") {
  SimulationSpec spec = single(100, 100, 8, {1, 1});
  CHECK_FALSE(GoSimulation::check(spec));
  spec.ranges[0].width = 0;
  CHECK_FALSE(GoSimulation::check(spec));
  spec.ranges[0] = {100, 10, {1, 9}};
  CHECK_FALSE(GoSimulation::check(spec));
  spec.ranges[0].grouping.s = 8;
  CHECK(GoSimulation::check(spec));
  spec.question = Question::covers;
  spec.query = 11;
  CHECK_FALSE(GoSimulation::check(spec));
  spec.question = Question::any;
  spec.query = 46;
  CHECK_FALSE(GoSimulation::check(spec));
  spec.query = 45;
  CHECK(GoSimulation::check(spec));
}

TEST_SUITE_END();
