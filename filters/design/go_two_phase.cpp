// SPDX-License-Identifier: MIT
// The report's two-phase algorithm: marginal prices at a half-full filter give the start, gradient
// steps of one sequence position give the rest. Two departures: a point has its own key space with
// s = k, and steps are d/256 wide at first where d passes 512, or a walk from d = 10^6 never ends.
#include <algorithm>
#include <cmath>

#include "filters/design/common_k_cost.h"

namespace beckon::filters {

namespace {

constexpr double rounding = 1e-13;  // a smaller gain could be noise, and walk in circles

Shape phase1_shape(const RangeLoad& range, int k) {
  if (range.size.width <= 1) {
    std::int64_t d =
        range.query <= 1 ? 1 : point_group_size(range.size.scope, range.query, fill_from(0.5), k);
    return {k, d, k};
  }
  double product = range.size.scope * range.size.width;
  double d = std::floor(std::sqrt(product / 3 * std::exp2(-(k + 1))) + 0.5);
  double s = std::floor(k + 1 - std::log2(product) + 0.5);
  return {k, static_cast<std::int64_t>(std::max(1.0, d)),
          static_cast<int>(std::clamp(s, 1.0, 1.0 * k))};
}

std::int64_t stride(const Shape& shape, std::int64_t divisor) {
  return std::max<std::int64_t>(1, shape.d / divisor);
}

/// Gradient steps over the sequences of all attributes.
class Gradient {
 public:
  Gradient(const GoCost& cost, const Candidate& start)
      : cost_(cost), at_(cost, start), falling_(cost.size(), +1) {}

  const Candidate& now() const { return at_.now(); }

  /// Takes the step that gains most per changed position; false when none gains.
  bool step(std::int64_t divisor) {
    Move best;
    for (std::size_t i = 0; i < cost_.size(); ++i) {
      // A curve that falls on one side rises on the other, so the side that fell last comes first
      // and spares the other.
      if (consider(i, falling_[i], divisor, best)) continue;
      if (consider(i, -falling_[i], divisor, best)) falling_[i] = -falling_[i];
    }
    if (best.gain <= 0) return false;
    at_.set(best.index, best.shape);
    return true;
  }

 private:
  struct Move {
    double gain = 0;
    std::size_t index = 0;
    Shape shape{};
  };

  bool consider(std::size_t i, int direction, std::int64_t divisor, Move& best) {
    Shape next = now().ranges[i];
    if (!cost_.step(i, next, direction * stride(next, divisor))) return false;
    double change = 0;
    double fall = now().cost - at_.with(i, next, change);
    if (fall < now().cost * rounding) return false;
    double gain = fall / std::max(std::abs(change), 1e-9);
    if (gain > best.gain) best = {gain, i, next};
    return true;
  }

  const GoCost& cost_;
  CommonKCost at_;
  std::vector<int> falling_;
};

}  // namespace

Phase1 phase1(const Load& load, int k) {
  Phase1 start{k, {}};
  for (const RangeLoad& range : load.ranges) start.ranges.push_back(phase1_shape(range, k));
  return start;
}

int initial_k(const Load& load, int bits) {
  GoCost cost(load, bits);
  for (int k = 1; k < design_limits::max_k; ++k) {
    Candidate c = uniform_k(cost, phase1(load, k).ranges, k);
    if (cost.fill(c.positions) > 0.5) return k;
  }
  return design_limits::max_k;
}

Design two_phase_at(const Load& load, int bits, int k) {
  GoCost cost(load, bits);
  Gradient at(cost, uniform_k(cost, phase1(load, k).ranges, k));
  std::int64_t largest = 1;
  for (const Shape& shape : at.now().ranges) largest = std::max(largest, shape.d);
  for (std::int64_t divisor = 256;; divisor *= 16) {
    while (at.step(divisor)) {
    }
    if (divisor > largest) return to_design(cost, at.now());
  }
}

}  // namespace beckon::filters
