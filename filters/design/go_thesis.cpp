// SPDX-License-Identifier: MIT
// The thesis' algorithms 3-2 and 3-3. As printed, the inner loop over d stops at the first value
// that is "not smaller"; when a range is much wider than the filter, f is exactly 1 in floating
// point for d = 1 and d = 2, so it stops at once. Mended: d starts where the filter is first not
// saturated, and equal values of a saturated filter do not stop the walk. Steps widen beyond
// d = 16384 so that huge ranges end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "filters/design/go_candidate.h"

namespace beckon::filters {

namespace {

constexpr std::int64_t single_steps = 16384;
constexpr double saturated_load = 45;  // exp(-45)*64 is below half an ulp of 1

/// Best d <= n for one s, walking up until the total rises.
Candidate best_d(const GoCost& cost, Candidate c, std::size_t i, int s) {
  double width = cost.load().ranges[i].size.width;
  double start = std::floor(width * s / (cost.bits() * saturated_load));
  Candidate best = c;
  best.cost = std::numeric_limits<double>::infinity();
  for (auto d = static_cast<std::int64_t>(std::max(1.0, start)); static_cast<double>(d) <= width;
       d += d <= single_steps ? 1 : d >> 10) {
    c.ranges[i] = {c.ranges[i].k, d, s};
    Mover(cost).price(c);
    if (c.cost > best.cost) break;
    if (c.cost < best.cost) best = c;
  }
  return best;
}

/// Function 3-2: s upwards until the best total over d no longer falls.
void improve(const GoCost& cost, Candidate& c, std::size_t i) {
  if (cost.is_point(i)) return;
  Candidate best = c;
  best.cost = std::numeric_limits<double>::infinity();
  for (int s = 1; s <= c.ranges[i].k; ++s) {
    Candidate found = best_d(cost, c, i, s);
    if (found.cost >= best.cost) break;
    best = found;
  }
  if (best.cost <= c.cost) c = best;
}

/// Algorithm 3-2: the attribute alone in the filter.
Shape alone(const RangeLoad& range, int bits, int k) {
  Load load{{}, {range}};
  GoCost cost(load, bits);
  Candidate c = uniform_k(cost, phase1(load, k).ranges, k);
  c.cost = std::numeric_limits<double>::infinity();
  improve(cost, c, 0);
  return c.ranges[0];
}

std::vector<std::size_t> worst_first(const Load& load, const Design& design) {
  Rates rates = rate(load, design);
  std::vector<std::size_t> order(load.ranges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rates.ranges[a].fpr > rates.ranges[b].fpr;
  });
  return order;
}

}  // namespace

Design thesis_at(const Load& load, int bits, int k) {
  GoCost cost(load, bits);
  std::vector<Shape> start;
  for (const RangeLoad& range : load.ranges) start.push_back(alone(range, bits, k));
  Candidate c = uniform_k(cost, std::move(start), k);
  for (int round = 0; round < 100; ++round) {
    double before = c.cost;
    for (std::size_t i : worst_first(load, to_design(cost, c))) improve(cost, c, i);
    if (c.cost == before) break;
  }
  return to_design(cost, c);
}

}  // namespace beckon::filters
