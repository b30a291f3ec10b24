// SPDX-License-Identifier: MIT
#include "filters/design/go_candidate.h"

#include <utility>

namespace beckon::filters {

namespace {
// Gains below this share are rounding, and accepting them could cycle.
constexpr double enough = 1 - 1e-13;
}  // namespace

void Mover::price(Candidate& c) const {
  c.positions = cost_.positions(c.ranges, c.text_k);
  c.cost = cost_.total_at(cost_.fill(c.positions), c.ranges, c.text_k);
}

bool Mover::keep_if_better(Candidate& c, double positions) const {
  double cost = cost_.total_at(cost_.fill(positions), c.ranges, c.text_k);
  if (cost >= c.cost * enough) return false;
  c.positions = positions;
  c.cost = cost;
  return true;
}

bool Mover::try_shape(Candidate& c, std::size_t i, const Shape& shape) const {
  Shape before = std::exchange(c.ranges[i], shape);
  double change = cost_.range_positions(i, shape) - cost_.range_positions(i, before);
  if (keep_if_better(c, c.positions + change)) return true;
  c.ranges[i] = before;
  return false;
}

bool Mover::gallop(Candidate& c, std::size_t i, int direction) const {
  bool moved = false;
  for (std::int64_t step = 1;;) {
    Shape next = c.ranges[i];
    if (cost_.step(i, next, direction * step) && try_shape(c, i, next)) {
      moved = true;
      step *= 2;
    } else if (step == 1) {
      return moved;
    } else {
      step /= 2;
    }
  }
}

bool Mover::descend(Candidate& c, std::size_t held) const {
  bool moved = false;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < c.ranges.size(); ++i) {
      if (i == held) continue;
      again |= gallop(c, i, +1) || gallop(c, i, -1);
    }
    moved |= again;
  }
  return moved;
}

bool Mover::try_both(Candidate& c, std::size_t i, const Shape& up, std::size_t j,
                     const Shape& down) const {
  double change = cost_.range_positions(i, up) - cost_.range_positions(i, c.ranges[i]);
  Shape before = std::exchange(c.ranges[i], up);
  c.positions += change;
  if (try_shape(c, j, down)) return true;
  c.ranges[i] = before;
  c.positions -= change;
  return false;
}

bool Mover::pair_moves(Candidate& c) const {
  bool moved = false;
  for (std::size_t i = 0; i < c.ranges.size(); ++i) {
    for (std::size_t j = 0; j < c.ranges.size(); ++j) {
      Shape up = c.ranges[i];
      if (i == j || !cost_.step(i, up, +1)) continue;
      Shape down = c.ranges[j];
      if (!cost_.step(j, down, -1)) continue;
      moved |= try_both(c, i, up, j, down);
    }
  }
  return moved;
}

bool Mover::try_text_k(Candidate& c, std::size_t i, int k) const {
  if (k < 1 || k > design_limits::max_k) return false;
  int before = std::exchange(c.text_k[i], k);
  double change = static_cast<double>(cost_.load().texts[i].count) * (k - before);
  if (keep_if_better(c, c.positions + change)) return true;
  c.text_k[i] = before;
  return false;
}

bool Mover::own_k_moves(Candidate& c) const {
  bool moved = false;
  for (int by : {+1, -1}) {
    for (std::size_t i = 0; i < c.text_k.size(); ++i) moved |= try_text_k(c, i, c.text_k[i] + by);
    for (std::size_t i = 0; i < c.ranges.size(); ++i) {
      int k = c.ranges[i].k + by;
      if (k < 1 || k > design_limits::max_k) continue;
      for (int shift : {0, +1, -1}) {
        Shape next = cost_.with_k(i, c.ranges[i], k);
        if ((shift == 0 || cost_.step(i, next, shift)) && try_shape(c, i, next)) {
          moved = true;
          break;
        }
      }
    }
  }
  return moved;
}

Candidate at_k(const GoCost& cost, const Candidate& c, int k) {
  return uniform_k(cost, c.ranges, k);
}

Candidate uniform_k(const GoCost& cost, std::vector<Shape> ranges, int k) {
  Candidate c;
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] = cost.with_k(i, ranges[i], k);
  c.ranges = std::move(ranges);
  c.text_k.assign(cost.load().texts.size(), k);
  Mover(cost).price(c);
  return c;
}

Candidate candidate_of(const GoCost& cost, const Design& design) {
  Candidate c{design.ranges, design.text_k};
  Mover(cost).price(c);
  return c;
}

Design to_design(const GoCost& cost, const Candidate& c) {
  return {static_cast<int>(cost.bits()), c.text_k, c.ranges, c.cost};
}

}  // namespace beckon::filters
