// SPDX-License-Identifier: MIT
#include "filters/design/go_cost.h"

#include <algorithm>
#include <cmath>

namespace beckon::filters {

GoCost::GoCost(const Load& load, int bits) : load_(load), bits_(bits) {
  for (const RangeLoad& range : load.ranges) {
    double outside = range.size.outside();
    ranges_.push_back({range.size.scope, range.size.width, outside,
                       outside > 0 ? range.weight / outside : 0, range.weight, range.query,
                       range.size.width <= 1});
  }
  for (const TextLoad& text : load.texts) {
    texts_.push_back({static_cast<double>(text.count), text.count * text.weight});
  }
}

void GoCost::fill_powers(double q, int k, Powers& out) {
  out.at[0] = 1;
  out.at[1] = q;
  out.per_clear = 1 / (1 - q);
  // Halves instead of a chain: the multiplications then overlap in the processor.
  for (std::size_t j = 2; j <= static_cast<std::size_t>(k); ++j) {
    out.at[j] = out.at[j / 2] * out.at[j - j / 2];
  }
}

double GoCost::guarded_fpr(const Term& term, const Shape& shape, const Powers& powers) {
  if (term.outside <= 0) return 0;
  double d = static_cast<double>(shape.d);
  double remaining = std::max(0.0, term.outside - (d - 1));
  double wrong = term.outside - remaining;
  for (int i = 1; i <= neighbours(shape) && remaining > 0; ++i) {
    double zone = std::min(remaining, 2 * d);
    wrong += zone * powers[i * shape.s];
    remaining -= zone;
  }
  return (wrong + remaining * powers[shape.k]) * term.per_outside;
}

inline double GoCost::plain_fpr(const Term& term, const Shape& shape, const Powers& powers) {
  double d = static_cast<double>(shape.d);
  int r = shape.s == 1 ? shape.k - 1 : neighbours(shape);
  double edge = 2 * r * d;
  double x = powers[shape.s];
  // The closed form divides by 1-x, and the zones must fit outside the range.
  if (d - 1 + edge > term.outside || x > 0.999) return guarded_fpr(term, shape, powers);
  double per_rest = shape.s == 1 ? powers.per_clear : 1 / (1 - x);
  double series = x * (1 - powers[r * shape.s]) * per_rest;
  double far = powers[shape.k];
  return (d - 1 + 2 * d * series + (term.outside - (d - 1) - edge) * far) * term.per_outside;
}

int GoCost::largest_k(std::span<const Shape> ranges, std::span<const int> text_k) {
  int k = 1;
  for (const Shape& shape : ranges) k = std::max(k, shape.k);
  for (int each : text_k) k = std::max(k, each);
  return k;
}

double GoCost::positions(std::span<const Shape> ranges, std::span<const int> text_k) const {
  double sum = 0;
  for (std::size_t i = 0; i < texts_.size(); ++i) sum += texts_[i].count * text_k[i];
  for (std::size_t i = 0; i < ranges_.size(); ++i) sum += range_positions(i, ranges[i]);
  return sum;
}

double GoCost::total_at(double q, std::span<const Shape> ranges,
                        std::span<const int> text_k) const {
  Powers powers;
  fill_powers(q, largest_k(ranges, text_k), powers);
  return sum(powers, ranges, text_k);
}

double GoCost::sum(const Powers& powers, std::span<const Shape> ranges,
                   std::span<const int> text_k) const {
  double sum = 0;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    sum += texts_[i].weight * powers[text_k[i]];
  }
  for (std::size_t i = 0; i < ranges_.size(); ++i) sum += range_fpr(i, ranges[i], powers);
  return sum;
}

double GoCost::range_fpr(std::size_t i, const Shape& shape, const Powers& powers) const {
  const Term& term = ranges_[i];
  if (term.query > 1) {
    Fill fill = fill_from(powers[1]);
    return term.weight * (term.point ? point_any_fpr(term.scope, shape.d, shape.k, term.query, fill)
                                     : any_fpr({term.scope, term.width}, shape, term.query, fill));
  }
  return plain_fpr(term, shape, powers);
}

bool GoCost::step(std::size_t i, Shape& shape, std::int64_t by) const {
  const Term& term = ranges_[i];
  std::int64_t at = shape.d > 1 ? 1 - shape.d : (term.point ? 0 : shape.s - 1);
  std::int64_t next = at + by;
  std::int64_t last = term.point ? 0 : shape.k - 1;
  if (next > last || static_cast<double>(1 - next) > term.scope) return false;
  if (term.point && term.query <= 1) return false;  // grouping a lone point gains nothing
  shape.d = next < 0 ? 1 - next : 1;
  shape.s = term.point ? shape.k : (next > 0 ? static_cast<int>(next) + 1 : 1);
  return true;
}

Shape GoCost::with_k(std::size_t i, Shape shape, int k) const {
  shape.k = k;
  shape.s = ranges_[i].point ? k : std::min(shape.s, k);
  return shape;
}

}  // namespace beckon::filters
