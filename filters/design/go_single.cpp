// SPDX-License-Identifier: MIT
#include "filters/design/go_single.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace beckon::filters {

namespace {

constexpr int look_ahead = 3;

SingleOptimum evaluate(double bits, const RangeSize& size, const Shape& shape) {
  double positions = go_positions(size.width, shape);
  return {shape, go_fpr(size, shape, fill_of(positions, bits)), positions};
}

/// Walks from `start` both ways over [low, high] and stops look_ahead steps after the last gain.
template <typename At>
SingleOptimum climb(std::int64_t start, std::int64_t low, std::int64_t high, At at) {
  SingleOptimum best = at(start);
  for (int direction : {+1, -1}) {
    int since = 0;
    for (std::int64_t x = start + direction; x >= low && x <= high && since < look_ahead;
         x += direction) {
      SingleOptimum found = at(x);
      since = found.fpr < best.fpr ? 0 : since + 1;
      if (found.fpr < best.fpr) best = found;
    }
  }
  return best;
}

/// Where to start climbing a long sequence: halves the step while a neighbour at that step is
/// lower.
template <typename At>
std::int64_t coarse(std::int64_t start, std::int64_t low, std::int64_t high, At at) {
  double best = at(start).fpr;
  for (std::int64_t step = std::max<std::int64_t>(1, std::abs(start) / 2); step > 8;) {
    bool moved = false;
    for (std::int64_t x : {start - step, start + step}) {
      if (x < low || x > high) continue;
      double value = at(x).fpr;
      if (value >= best) continue;
      best = value;
      start = x;
      moved = true;
      break;
    }
    if (!moved) step /= 2;
  }
  return start;
}

/// Best k for a family of shapes of k, starting near where the filter is half full.
template <typename ShapeOf>
SingleOptimum over_k(double bits, const RangeSize& size, KLimits k, int guess, ShapeOf shape_of) {
  auto at = [&](std::int64_t x) { return evaluate(bits, size, shape_of(static_cast<int>(x))); };
  return climb(std::clamp(guess, k.low, k.high), k.low, k.high, at);
}

}  // namespace

SingleOptimum best_k_at(double bits, const RangeSize& size, std::int64_t t, KLimits k) {
  std::int64_t d = t < 0 ? 1 - t : 1;
  int s = t > 0 ? static_cast<int>(t) + 1 : 1;
  double own = (size.width - 1) / static_cast<double>(d) * s;
  int guess = static_cast<int>(std::clamp(bits * std::log(2.0) - own, 1.0, 64.0));
  k.low = std::max(k.low, s);
  return over_k(bits, size, k, guess, [&](int each) { return Shape{each, d, s}; });
}

SingleOptimum optimise_single(double bits, const RangeSize& size, Scheme scheme, KLimits k) {
  double sigma = bits * std::log(2.0) / size.width;
  auto widest = static_cast<std::int64_t>(size.scope);
  int per_value = static_cast<int>(std::clamp(std::round(sigma), 1.0, 64.0));
  if (scheme == Scheme::traditional) {
    return over_k(bits, size, k, per_value, [](int each) { return Shape{each, 1, each}; });
  }
  std::map<std::int64_t, SingleOptimum> seen;  // climbing passes the same places again
  if (scheme == Scheme::grouping) {
    auto at = [&](std::int64_t d) {
      auto [entry, fresh] = seen.try_emplace(d);
      double groups = (size.width - 1) / static_cast<double>(d) + 1;
      int guess = static_cast<int>(std::clamp(bits * std::log(2.0) / groups, 1.0, 64.0));
      if (fresh) {
        entry->second = over_k(bits, size, k, guess, [&](int each) {
          return Shape{each, d, each};
        });
      }
      return entry->second;
    };
    auto start = static_cast<std::int64_t>(std::max(1.0, std::round(8 / sigma)));
    start = std::min(start, widest);
    return climb(coarse(start, 1, widest, at), 1, widest, at);
  }
  std::int64_t low = scheme == Scheme::overlapping ? 0 : 1 - widest;
  std::int64_t high = k.high - 1;
  auto at = [&](std::int64_t t) {
    auto [entry, fresh] = seen.try_emplace(t);
    if (fresh) entry->second = best_k_at(bits, size, t, k);
    return entry->second;
  };
  std::int64_t start = sigma >= 1 ? std::llround(sigma) - 1 : 1 - std::llround(1 / sigma);
  start = std::clamp(start, low, high);
  return climb(coarse(start, low, high, at), low, high, at);
}

}  // namespace beckon::filters
