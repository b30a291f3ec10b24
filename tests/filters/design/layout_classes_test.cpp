// SPDX-License-Identifier: MIT
#include "filters/design/layout_classes.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

ClassSchema table1_schema() { return {512, {120, 201, 5001, 3600001, 1800001}}; }

/// 1 to 10 texts, each attribute present with 0.7, a point with 0.35, else a log-uniform width.
std::vector<Sample> population(std::size_t size, Rng& rng) {
  std::vector<Sample> samples(size);
  for (Sample& sample : samples) {
    sample.texts = static_cast<int>(rng.between(1, 10));
    for (double most : {40.0, 60.0, 2000.0, 1e4, 1e4}) {
      double range = std::max(2.0, std::floor(std::exp(rng.real() * std::log(most))));
      sample.widths.push_back(!rng.chance(0.7) ? 0 : rng.chance(0.35) ? 1 : range);
    }
  }
  return samples;
}

}  // namespace

TEST_SUITE_BEGIN("filters/layout_classes");

TEST_CASE("eight classes cost at most 1.6 times a layout of one's own, on profiles not fitted to") {
  std::uint64_t seed = 7;
  CAPTURE(seed);
  Rng rng(seed);
  ClassSchema schema = table1_schema();
  std::vector<Sample> samples = population(600, rng);
  std::span<const Sample> all(samples);
  auto fitted = all.first(300);
  auto held_out = all.last(300);
  double own = 0;
  for (const Sample& sample : held_out) own += own_layout_fpr(schema, sample) / 300;
  auto one = fit_classes(schema, fitted, {.classes = 1});
  auto eight = fit_classes(schema, fitted, {.classes = 8});
  CHECK(one.size() == 1);
  CHECK(eight.size() == 8);
  double ratio = mean_fpr(schema, held_out, eight) / own;
  CHECK(ratio >= 1);
  CHECK(ratio <= 1.6);
  CHECK(mean_fpr(schema, fitted, eight) < mean_fpr(schema, fitted, one));
}

TEST_CASE("one layout for a population beats the worst-case layout of Table 1") {
  Rng rng(3);
  ClassSchema schema = table1_schema();
  std::vector<Sample> samples(200);
  for (Sample& sample : samples) {
    sample.texts = 5;
    for (std::int64_t most : {10, 20, 500, 100, 100}) {
      sample.widths.push_back(static_cast<double>(rng.between(1, most)));
    }
  }
  std::vector<LayoutClass> worst{
      {15, {{15, 1, 6}, {15, 1, 4}, {15, 5, 1}, {15, 65, 1}, {15, 46, 1}}}};
  auto fitted = fit_classes(schema, samples, {.classes = 1});
  CHECK(mean_fpr(schema, samples, fitted) < 0.85 * mean_fpr(schema, samples, worst));
}

TEST_CASE(
    "the best class is the one with the lowest rate, and no class beats a layout of one's own") {
  Rng rng(4);
  ClassSchema schema = table1_schema();
  std::vector<Sample> samples = population(60, rng);
  auto classes = fit_classes(schema, samples, {.classes = 3, .rounds = 3});
  for (const Sample& sample : samples) {
    double chosen = class_fpr(schema, sample, classes[choose_class(schema, sample, classes)]);
    for (const LayoutClass& each : classes) CHECK(chosen <= class_fpr(schema, sample, each));
    CHECK(chosen >= own_layout_fpr(schema, sample) * (1 - 1e-9));
  }
}

TEST_CASE("the same samples give the same classes") {
  Rng rng(5);
  std::vector<Sample> samples = population(50, rng);
  auto a = fit_classes(table1_schema(), samples, {.classes = 3, .rounds = 3});
  auto b = fit_classes(table1_schema(), samples, {.classes = 3, .rounds = 3});
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].shapes == b[i].shapes);
}

TEST_CASE("an attribute that is absent costs nothing, and a point costs a key") {
  ClassSchema schema{512, {1000}};
  LayoutClass layout{8, {{8, 3, 1}}};
  double lone = class_fpr(schema, {3, {0}}, layout);
  double with_point = class_fpr(schema, {3, {1}}, layout);
  // As ratios: to Approx all numbers far below one are the same.
  CHECK(lone / (3 * text_fpr(fill_of(24, 512), 8)) == doctest::Approx(1));
  CHECK(with_point / (4 * text_fpr(fill_of(32, 512), 8)) == doctest::Approx(1));
}

TEST_SUITE_END();
