// SPDX-License-Identifier: MIT
#include "filters/go/go_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "filters/design/go_cost.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

/// Equation 14 by walking outwards value by value, as a twin of the zones.
double naive_go(const RangeSize& size, const Shape& shape, double q) {
  double outside = size.outside();
  double wrong = 0;
  for (double v = 0; v < outside; ++v) {
    double d = static_cast<double>(shape.d);
    double zone = v < d - 1 ? 0 : std::floor((v - (d - 1)) / (2 * d)) + 1;
    wrong += zone * shape.s < shape.k ? std::pow(q, zone * shape.s) : std::pow(q, shape.k);
  }
  return wrong / outside;
}

/// The double sum of the covers formula as it is written.
double naive_covers(const RangeSize& size, const Shape& shape, double w, double q) {
  double d = static_cast<double>(shape.d);
  double sum = 0;
  for (double off = 0; off < d; ++off) {
    for (double e = 1; e < w; ++e) sum += std::pow(q, shape.s * std::floor((off + e) / d));
  }
  double far = std::pow(q, ((w - 1) / d) * shape.s + shape.k);
  return (2 * sum / d + (size.outside() - 2 * (w - 1)) * far) / size.outside();
}

Shape random_shape(Rng& rng) {
  int k = static_cast<int>(rng.between(1, 24));
  return {k, rng.between(1, 12), static_cast<int>(rng.between(1, k))};
}

}  // namespace

TEST_SUITE_BEGIN("filters/go_model");

TEST_CASE("the zoned rate equals a walk over every outside value, guards included") {
  Rng rng(1);
  for (int i = 0; i < 500; ++i) {
    Shape shape = random_shape(rng);
    double width = static_cast<double>(rng.between(1, 50));
    RangeSize size{width + static_cast<double>(rng.between(1, 400)), width};
    double q = 0.05 + 0.9 * rng.real();
    CAPTURE(i);
    CHECK(go_fpr(size, shape, fill_from(q)) ==
          doctest::Approx(naive_go(size, shape, q)).epsilon(1e-10));
  }
}

TEST_CASE("a rate is a probability whatever the shape") {
  Rng rng(2);
  for (int i = 0; i < 2000; ++i) {
    Shape shape = random_shape(rng);
    shape.d = rng.between(1, 300);
    double scope = static_cast<double>(rng.between(1, 200));
    RangeSize size{scope, static_cast<double>(rng.between(1, static_cast<std::int64_t>(scope)))};
    double query = static_cast<double>(rng.between(1, static_cast<std::int64_t>(scope)));
    Fill fill = fill_of(rng.real() * 5000, 512);
    for (double rate : {go_fpr(size, shape, fill), any_fpr(size, shape, query, fill),
                        covers_fpr(size, shape, std::min(query, size.width), fill),
                        point_any_fpr(scope, shape.d, shape.k, query, fill)}) {
      CAPTURE(i);
      CHECK(rate >= 0);
      CHECK(rate <= 1 + 1e-12);
    }
  }
}

TEST_CASE("nothing outside means no false positive") {
  CHECK(go_fpr({10, 10}, {8, 3, 2}, fill_from(0.5)) == 0);
  CHECK(go_fpr({10, 10}, {8, 1, 8}, fill_from(0.5)) == 0);  // no zones: the closed form's 0/0
  CHECK(any_fpr({10, 8}, {8, 3, 2}, 5, fill_from(0.5)) == 0);
  CHECK(covers_fpr({10, 10}, {8, 3, 2}, 5, fill_from(0.5)) == 0);
}

TEST_CASE("grouping and overlapping are special cases of the whole") {
  Fill fill = fill_from(0.45);
  RangeSize size{1000, 40};
  double outside = 960;
  CHECK(grouping_fpr(size, 4, 8, fill) ==
        doctest::Approx(3 / outside + (outside - 3) / outside * std::pow(0.45, 8)).epsilon(1e-12));
  double x = std::pow(0.45, 3), y = std::pow(0.45, 6);
  CHECK(overlapping_fpr(size, 3, 8, fill) ==
        doctest::Approx(2 / outside * (x + y) + (outside - 4) / outside * std::pow(0.45, 8))
            .epsilon(1e-12));
  CHECK(traditional_positions(40, 8) == go_positions(40, {8, 1, 8}));
  CHECK(grouping_positions(40, 5, 8) == go_positions(40, {8, 5, 8}));
  CHECK(overlapping_positions(40, 3, 8) == go_positions(40, {8, 1, 3}));
}

TEST_CASE("a window one wide is a single value") {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    Shape shape = random_shape(rng);
    RangeSize size{5000, static_cast<double>(rng.between(1, 500))};
    Fill fill = fill_from(0.1 + 0.8 * rng.real());
    double point = go_fpr(size, shape, fill);
    CAPTURE(i);
    CHECK(any_fpr(size, shape, 1, fill) == doctest::Approx(point).epsilon(1e-9));
    CHECK(covers_fpr(size, shape, 1, fill) == doctest::Approx(fill.power(shape.k)).epsilon(1e-9));
  }
}

TEST_CASE("the covers rate equals its double sum") {
  Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    Shape shape = random_shape(rng);
    double q = 0.1 + 0.8 * rng.real();
    double w = static_cast<double>(rng.between(1, 60));
    RangeSize size{5000, 100};
    CAPTURE(i);
    CHECK(covers_fpr(size, shape, w, fill_from(q)) ==
          doctest::Approx(naive_covers(size, shape, w, q)).epsilon(1e-9));
  }
}

TEST_CASE("a nearly empty and a nearly full filter keep their digits") {
  Fill empty = fill_of(1e-9, 512);
  CHECK(empty.set == doctest::Approx(1e-9 / 512).epsilon(1e-12).scale(0));
  Fill full = fill_of(512 * 60.0, 512);
  CHECK(full.clear == doctest::Approx(std::exp(-60.0)).epsilon(1e-12).scale(0));
  CHECK(full.complement(8) == doctest::Approx(8 * std::exp(-60.0)).epsilon(1e-9).scale(0));
  // 1-(1-x)^G with x far below an ulp of 1.
  Fill thin = fill_from(1e-3);
  CHECK(any_far_simple(500, {8, 1, 8}, thin) == doctest::Approx(500e-24).epsilon(1e-9).scale(0));
}

TEST_CASE("a filter that fluctuates does worse than its mean fill says") {
  Fill mean = fill_of(384, 512);
  Fill real = fluctuating_fill(384, 512);
  CHECK(real.power(1) == mean.power(1));
  CHECK(real.power(15) / mean.power(15) == doctest::Approx(1.06).epsilon(0.005));
}

TEST_CASE("the fast cost agrees with the formulas") {
  Rng rng(5);
  for (int i = 0; i < 500; ++i) {
    Load load{{{static_cast<int>(rng.between(0, 9)), rng.real() * 3}}, {}};
    Design at{512, {static_cast<int>(rng.between(1, 30))}, {}, 0};
    for (std::int64_t n = rng.between(1, 6); n > 0; --n) {
      double width = static_cast<double>(rng.between(1, 300));
      double query = rng.chance(0.3) ? static_cast<double>(rng.between(1, 40)) : 1;
      load.ranges.push_back({{width * (1 + 50 * rng.real()), width}, rng.real() * 2, query});
      load.ranges.back().size.scope = std::max(query, std::floor(load.ranges.back().size.scope));
      Shape shape = random_shape(rng);
      if (width == 1) shape.s = shape.k;
      at.ranges.push_back(shape);
    }
    GoCost cost(load, 512);
    double positions = cost.positions(at.ranges, at.text_k);
    CAPTURE(i);
    Rates rates = rate(load, at);
    CHECK(positions == doctest::Approx(rates.positions).epsilon(1e-12));
    CHECK(cost.total_at(cost.fill(positions), at.ranges, at.text_k) ==
          doctest::Approx(rates.total_fpr).epsilon(1e-9));
  }
}

TEST_SUITE_END();
