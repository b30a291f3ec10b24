// SPDX-License-Identifier: MIT
#include "filters/design/go_best.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace beckon::filters {

namespace {
constexpr int window = 6;  // k to each side of the start
constexpr int border = 3;  // the window grows while the best k is this near its end
constexpr int price_rounds = 12;
constexpr int kicked = 3;  // as many of the best k are kicked
}  // namespace

/// The d branch has a closed minimum; the s branch is scanned until three steps past its own.
Shape BestSearch::cheapest(std::size_t i, int k, double price, const GoCost::Powers& powers) const {
  const RangeLoad& range = cost_.load().ranges[i];
  if (cost_.is_point(i)) {
    std::int64_t d = range.query <= 1
                         ? 1
                         : point_group_size(range.size.scope, range.query, fill_from(powers[1]), k);
    return {k, d, k};
  }
  double x = powers[1];
  double series = x * (1 - powers[k - 1]) / std::max(1e-12, 1 - x);
  double slope = 1 + 2 * series - (1 + 2 * (k - 1)) * powers[k];
  double ideal = std::sqrt(price * (range.size.width - 1) * range.size.outside() /
                           std::max(1e-12, range.weight * slope));
  auto low = static_cast<std::int64_t>(std::clamp(std::floor(ideal), 1.0, range.size.scope));
  if (range.query > 1) return cheapest_walk(i, {k, low, 1}, price, powers);
  auto penalised = [&](const Shape& shape) {
    return cost_.range_fpr(i, shape, powers) + price * cost_.range_positions(i, shape);
  };
  Shape best{k, low, 1};
  double lowest = penalised(best);
  auto consider = [&](const Shape& shape) {
    double value = penalised(shape);
    if (value >= lowest) return false;
    lowest = value;
    best = shape;
    return true;
  };
  if (static_cast<double>(low) < range.size.scope) consider({k, low + 1, 1});
  if (low > 4) return best;
  for (int s = 1, since = 0; s <= k && since < 3; ++s) since = consider({k, 1, s}) ? 0 : since + 1;
  return best;
}

/// Without a closed form (window queries): doubling steps on the penalised cost.
Shape BestSearch::cheapest_walk(std::size_t i, Shape shape, double price,
                                const GoCost::Powers& powers) const {
  auto penalised = [&](const Shape& s) {
    return cost_.range_fpr(i, s, powers) + price * cost_.range_positions(i, s);
  };
  double lowest = penalised(shape);
  for (int direction : {+1, -1}) {
    for (std::int64_t step = 1; step > 0;) {
      Shape next = shape;
      double value = cost_.step(i, next, direction * step) ? penalised(next) : lowest;
      bool better = value < lowest;
      if (better) {
        lowest = value;
        shape = next;
      }
      step = better ? step * 2 : step / 2;
    }
  }
  return shape;
}

/// What one more position costs all attributes together: (1-q)/m * dF/dq.
double BestSearch::next_price(const Candidate& c, double q) const {
  double step = 1e-4 * q;
  double slope = (cost_.total_at(q + step, c.ranges, c.text_k) -
                  cost_.total_at(q - step, c.ranges, c.text_k)) /
                 (2 * step);
  return (1 - q) / cost_.bits() * slope;
}

Candidate BestSearch::priced(int k, double price) const {
  Candidate best;
  best.cost = std::numeric_limits<double>::infinity();
  double q = 0.5;
  Candidate c = uniform_k(cost_, std::vector<Shape>(cost_.size()), k);
  for (int round = 0; round < price_rounds; ++round) {
    GoCost::Powers powers;
    GoCost::fill_powers(q, k, powers);
    std::vector<Shape> before = c.ranges;
    for (std::size_t i = 0; i < c.ranges.size(); ++i) c.ranges[i] = cheapest(i, k, price, powers);
    if (round > 0 && c.ranges == before) break;
    mover_.price(c);
    if (c.cost < best.cost) best = c;
    double reached = cost_.fill(c.positions);
    price = std::sqrt(price * next_price(c, (q + reached) / 2));
    q = (q + reached) / 2;
  }
  return best;
}

void BestSearch::polish(Candidate& c) const {
  do {
    mover_.descend(c);
  } while (mover_.pair_moves(c));
}

const Candidate& BestSearch::polished(int k) {
  auto found = by_k_.find(k);
  if (found != by_k_.end()) return found->second;
  Candidate best = priced(k, std::exp2(-(k + 1)));
  polish(best);
  return by_k_.emplace(k, std::move(best)).first->second;
}

int BestSearch::best_k() const {
  auto less = [](const auto& a, const auto& b) { return a.second.cost < b.second.cost; };
  return std::min_element(by_k_.begin(), by_k_.end(), less)->first;
}

void BestSearch::kick(Candidate& c) const {
  for (std::size_t i = 0; i < c.ranges.size(); ++i) {
    for (int direction : {+1, -1}) {
      Candidate moved = c;
      if (!cost_.step(i, moved.ranges[i], direction)) continue;
      mover_.price(moved);
      mover_.descend(moved, i);
      if (moved.cost > c.cost * 1.02) continue;
      mover_.descend(moved);
      if (moved.cost < c.cost) c = moved;
    }
  }
}

/// Carries the best layout to the neighbouring k, with every s moved along or not.
void BestSearch::shift_k() {
  for (bool again = true; again;) {
    again = false;
    int k = best_k();
    Candidate best = by_k_.at(k);
    for (int by : {+1, -1}) {
      if (k + by < range_.low || k + by > range_.high) continue;
      for (int shift : {0, by}) {
        Candidate c = at_k(cost_, best, k + by);
        for (std::size_t i = 0; i < c.ranges.size(); ++i) {
          if (c.ranges[i].d == 1) cost_.step(i, c.ranges[i], shift);
        }
        mover_.price(c);
        polish(c);
        Candidate& known = by_k_.at(k + by);
        if (c.cost < known.cost) known = c;
      }
      again |= by_k_.at(k + by).cost < best.cost;
    }
  }
}

Candidate BestSearch::common_k() {
  auto bounded = [&](int k) { return std::clamp(k, range_.low, range_.high); };
  int start = bounded(initial_k(cost_.load(), static_cast<int>(cost_.bits())));
  int low = bounded(start - window);
  int high = bounded(start + window);
  for (int k = low; k <= high; ++k) polished(k);
  while (best_k() - low < border && low > range_.low) polished(--low);
  while (high - best_k() < border && high < range_.high) polished(++high);
  std::vector<std::pair<double, int>> order;
  for (const auto& [k, c] : by_k_) order.emplace_back(c.cost, k);
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size() && i < kicked; ++i) kick(by_k_.at(order[i].second));
  if (low < high) shift_k();
  return by_k_.at(best_k());
}

Candidate BestSearch::own_k(const Candidate& common) const {
  Candidate best = common;
  int k = common.ranges.empty() ? common.text_k.at(0) : common.ranges[0].k;
  Fill fill = fill_of(common.positions, cost_.bits());
  const Load& load = cost_.load();
  auto clamped = [&](double weight, int base) {
    int offset = weight > 0 ? weighted_k_offset(weight, fill) : -base;
    return std::clamp(base + offset, range_.low, range_.high);
  };
  for (int base = k - 3; base <= k + 3; ++base) {
    Candidate c = common;
    for (std::size_t i = 0; i < load.texts.size(); ++i) {
      c.text_k[i] = clamped(load.texts[i].weight, base);
    }
    for (std::size_t i = 0; i < load.ranges.size(); ++i) {
      c.ranges[i] = cost_.with_k(i, c.ranges[i], clamped(load.ranges[i].weight, base));
    }
    mover_.price(c);
    do {
      polish(c);
    } while (mover_.own_k_moves(c));
    if (c.cost < best.cost) best = c;
  }
  return best;
}

}  // namespace beckon::filters
