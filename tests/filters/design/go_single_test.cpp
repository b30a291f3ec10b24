// SPDX-License-Identifier: MIT
#include "filters/design/go_single.h"

#include <doctest/doctest.h>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

double rate_of(double bits, const RangeSize& size, const Shape& shape) {
  return go_fpr(size, shape, fill_of(go_positions(size.width, shape), bits));
}

struct Enumerated {
  double sequence = 1;  // over (d,1) and (1,s)
  double all = 1;       // over every pair
};

/// Every shape there is, as a twin of the search.
Enumerated enumerate(double bits, const RangeSize& size, int most_k) {
  Enumerated best;
  for (int k = 1; k <= most_k; ++k) {
    for (int s = 1; s <= k; ++s) {
      for (std::int64_t d = 1; d <= static_cast<std::int64_t>(size.scope); ++d) {
        double rate = rate_of(bits, size, {k, d, s});
        best.all = std::min(best.all, rate);
        if (d == 1 || s == 1) best.sequence = std::min(best.sequence, rate);
      }
    }
  }
  return best;
}

}  // namespace

TEST_SUITE_BEGIN("filters/go_single");

TEST_CASE(
    "the search finds what full enumeration finds, and shapes off the sequence gain next to "
    "nothing") {
  Rng rng(11);
  for (int i = 0; i < 60; ++i) {
    double bits = static_cast<double>(rng.between(16, 128));
    double width = static_cast<double>(rng.between(1, 30));
    RangeSize size{width + static_cast<double>(rng.between(1, 90)), width};
    Enumerated twin = enumerate(bits, size, 16);
    SingleOptimum found = optimise_single(bits, size, Scheme::go, {1, 16});
    CAPTURE(i);
    CHECK(found.fpr == doctest::Approx(twin.sequence).epsilon(1e-9).scale(0));
    CHECK(twin.all >= twin.sequence * 0.999);
    CHECK(found.fpr == doctest::Approx(rate_of(bits, size, found.shape)).epsilon(1e-12).scale(0));
  }
}

TEST_CASE("each scheme keeps to its own shapes, and the general one is never worse") {
  for (double width : {5.0, 20.0, 100.0, 300.0, 1000.0}) {
    RangeSize size{10000, width};
    SingleOptimum plain = optimise_single(512, size, Scheme::traditional);
    SingleOptimum grouping = optimise_single(512, size, Scheme::grouping);
    SingleOptimum overlapping = optimise_single(512, size, Scheme::overlapping);
    SingleOptimum go = optimise_single(512, size, Scheme::go);
    CAPTURE(width);
    CHECK(plain.shape.d == 1);
    CHECK(plain.shape.s == plain.shape.k);
    CHECK(grouping.shape.s == grouping.shape.k);
    CHECK(overlapping.shape.d == 1);
    CHECK(grouping.fpr <= plain.fpr);
    CHECK(overlapping.fpr <= plain.fpr * (1 + 1e-12));
    CHECK(go.fpr <= overlapping.fpr * (1 + 1e-12));
  }
}

TEST_CASE("a range as wide as its scope ends the search of every scheme with a rate of 0") {
  for (Scheme scheme : {Scheme::traditional, Scheme::grouping, Scheme::overlapping, Scheme::go}) {
    for (double scope : {1.0, 2.0, 100.0, 1e6}) {
      CHECK(optimise_single(512, {scope, scope}, scheme).fpr == 0);
    }
  }
}

TEST_CASE("a range of millions in a small filter is found quickly and is a true minimum nearby") {
  RangeSize size{1e12, 3e9};
  SingleOptimum found = optimise_single(64, size, Scheme::go);
  CHECK(found.fpr < 1);
  CHECK(found.shape.s == 1);
  for (std::int64_t by : {-1000, -10, 10, 1000}) {
    Shape near = found.shape;
    near.d += by;
    CHECK(rate_of(64, size, near) >= found.fpr * (1 - 1e-12));
  }
}

TEST_SUITE_END();
