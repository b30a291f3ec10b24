// SPDX-License-Identifier: MIT
#include "filters/design/common_k_cost.h"

#include <bit>
#include <cmath>
#include <utility>

namespace beckon::filters {

namespace {

double whole_power(double x, int n) {
  double result = 1;
  for (; n > 0; n >>= 1, x *= x) {
    if (n & 1) result *= x;
  }
  return result;
}

}  // namespace

CommonKCost::CommonKCost(const GoCost& cost, const Candidate& start) : cost_(cost), now_(start) {
  k_ = now_.ranges.empty() ? now_.text_k.at(0) : now_.ranges[0].k;
  for (const TextLoad& text : cost.load().texts) sum_.far += text.count * text.weight;
  for (std::size_t i = 0; i < now_.ranges.size(); ++i) {
    terms_.push_back(term(i, now_.ranges[i]));
    add(terms_[i], now_.ranges[i].s, +1);
  }
}

CommonKCost::Term CommonKCost::term(std::size_t i, const Shape& shape) const {
  const RangeLoad& range = cost_.load().ranges[i];
  double outside = range.size.outside();
  double d = static_cast<double>(shape.d);
  double near = d - 1;
  double edge = 2 * neighbours(shape) * d;
  if (range.query > 1 || near + edge > outside) return {0, 0, 0, false};
  double share = range.weight / outside;
  return {near * share, 2 * d * share, (outside - near - edge) * share, true};
}

void CommonKCost::add(const Term& term, int s, double sign) {
  auto slot = static_cast<std::size_t>(s);
  sum_.constant += sign * term.constant;
  sum_.far += sign * term.far;
  by_s_[slot] += sign * term.series;
  users_[slot] += sign > 0 ? 1 : -1;
  if (users_[slot] == 0) by_s_[slot] = 0;
  std::uint64_t bit = std::uint64_t{1} << (s - 1);
  used_ = users_[slot] > 0 ? used_ | bit : used_ & ~bit;
  open_ += term.closed ? 0 : (sign > 0 ? 1 : -1);
}

double CommonKCost::series(int s, double q, double far) const {
  if (s == 1) return (q - far) / (1 - q);
  double x = whole_power(q, s);
  return x * (1 - whole_power(q, (k_ - 1) / s * s)) / (1 - x);
}

double CommonKCost::evaluate(double q, std::size_t i, const Term& old, const Shape& next,
                             const Term& term) {
  double far = whole_power(q, k_);
  double total = sum_.constant - old.constant + term.constant;
  total += (sum_.far - old.far + term.far) * far;
  int from = now_.ranges[i].s;
  std::uint64_t used = used_ | std::uint64_t{1} << (next.s - 1);
  for (; used != 0; used &= used - 1) {
    int s = std::countr_zero(used) + 1;
    double weight = by_s_[static_cast<std::size_t>(s)];
    weight += (s == next.s ? term.series : 0) - (s == from ? old.series : 0);
    total += weight * series(s, q, far);
  }
  return total;
}

double CommonKCost::with(std::size_t i, const Shape& next, double& change) {
  change = cost_.range_positions(i, next) - cost_.range_positions(i, now_.ranges[i]);
  double q = cost_.fill(now_.positions + change);
  Term fresh = term(i, next);
  // 1-q in the series loses its digits in a nearly full filter.
  if (open_ == 0 && fresh.closed && q < 0.999) return evaluate(q, i, terms_[i], next, fresh);
  Shape before = std::exchange(now_.ranges[i], next);
  double total = cost_.total_at(q, now_.ranges, now_.text_k);
  now_.ranges[i] = before;
  return total;
}

void CommonKCost::set(std::size_t i, const Shape& next) {
  add(terms_[i], now_.ranges[i].s, -1);
  terms_[i] = term(i, next);
  add(terms_[i], next.s, +1);
  now_.ranges[i] = next;
  Mover(cost_).price(now_);
}

}  // namespace beckon::filters
