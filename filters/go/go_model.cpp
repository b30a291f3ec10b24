// SPDX-License-Identifier: MIT
#include "filters/go/go_model.h"

#include <algorithm>
#include <cmath>

namespace beckon::filters {

namespace {

/// 1-(1-x)^count for a small x and a possibly huge count.
double any_of(double x, double count) {
  if (count <= 0) return 0;
  return x >= 1 ? 1 : -std::expm1(count * std::log1p(-x));
}

/// 1-(1-first)*(1-each)^count.
double first_or_any(double first, double each, double count) {
  double rest = any_of(each, count);
  return first + (1 - first) * rest;
}

double groups_touched(double query, const Shape& shape) {
  return (query - 1) / static_cast<double>(shape.d) + 1;
}

/// Spends `remaining` outside values on a zone of `size` values and returns how many fitted.
double take(double& remaining, double size) {
  double taken = std::min(remaining, size);
  remaining -= taken;
  return taken;
}

/// Values next to the range, zone by zone outwards: `edge(i)` is the chance that a value i groups
/// away is taken for an inside one, `far` that of all the others.
template <typename Edge>
double zoned(double outside, const Shape& shape, Edge edge, double far) {
  if (outside <= 0) return 0;
  double d = static_cast<double>(shape.d);
  double remaining = outside;
  double wrong = take(remaining, d - 1);
  for (int i = 1; i <= neighbours(shape) && remaining > 0; ++i) {
    wrong += take(remaining, 2 * d) * edge(i);
  }
  return (wrong + remaining * far) / outside;
}

}  // namespace

double Fill::power(double j) const {
  double mean = std::pow(set, j);
  return variance == 0 || set == 0 ? mean : mean * (1 + j * (j - 1) / 2 * variance / (set * set));
}

double Fill::complement(double j) const {
  double log_set = set < 0.5 ? std::log(set) : std::log1p(-clear);
  return -std::expm1(j * log_set);
}

Fill fill_of(double positions, double bits, FillModel model) {
  double exponent =
      model == FillModel::exact ? positions * std::log1p(-1 / bits) : -positions / bits;
  return {-std::expm1(exponent), std::exp(exponent), 0};
}

Fill fill_from(double set) { return {set, 1 - set, 0}; }

Fill fluctuating_fill(double positions, double bits, FillModel model) {
  Fill fill = fill_of(positions, bits, model);
  double load = positions / bits;
  fill.variance = fill.clear * (1 - (1 + load) * fill.clear) / bits;
  return fill;
}

double expected_set_bits(double positions, double bits) {
  return bits * fill_of(positions, bits, FillModel::exact).set;
}

double traditional_positions(double width, int k) { return width * k; }

double grouping_positions(double width, std::int64_t d, int k) {
  return k * ((width - 1) / static_cast<double>(d) + 1);
}

double overlapping_positions(double width, int s, int k) { return (width - 1) * s + k; }

double go_positions(double width, const Shape& shape) {
  return (width - 1) / static_cast<double>(shape.d) * shape.s + shape.k;
}

double text_fpr(const Fill& fill, int k) { return fill.power(k); }

double grouping_fpr(const RangeSize& size, std::int64_t d, int k, const Fill& fill) {
  return go_fpr(size, {k, d, k}, fill);
}

double overlapping_fpr(const RangeSize& size, int s, int k, const Fill& fill) {
  return go_fpr(size, {k, 1, s}, fill);
}

double go_fpr(const RangeSize& size, const Shape& shape, const Fill& fill) {
  if (size.outside() <= 0) return 0;
  double d = static_cast<double>(shape.d);
  int r = neighbours(shape);
  double far = fill.power(shape.k);
  double x = fill.power(shape.s);
  if (fill.variance == 0 && x < 0.999 && d - 1 + 2 * r * d <= size.outside()) {
    double series = x * (1 - std::pow(x, r)) / (1 - x);
    double beyond = size.outside() - (d - 1) - 2 * r * d;
    return (d - 1 + 2 * d * series + beyond * far) / size.outside();
  }
  auto edge = [&](int i) { return fill.power(i * shape.s); };
  return zoned(size.outside(), shape, edge, far);
}

double any_far_simple(double query, const Shape& shape, const Fill& fill) {
  return any_of(fill.power(shape.k), groups_touched(query, shape));
}

double any_fpr(const RangeSize& size, const Shape& shape, double query, const Fill& fill) {
  double placements = size.outside() - 2 * query + 2;
  double groups = groups_touched(query, shape);
  double whole = fill.power(shape.k);
  // Neighbouring groups share k-s positions: given that one fails, the next needs s fresh luck.
  double fresh = whole * fill.complement(shape.s);
  int r = neighbours(shape);
  auto edge = [&](int i) {
    return first_or_any(fill.power(i * shape.s), fresh, std::max(0.0, groups - (r - i + 1)));
  };
  return zoned(placements, shape, edge, first_or_any(whole, fresh, groups - 1));
}

double point_any_fpr(double scope, std::int64_t d, int k, double query, const Fill& fill) {
  Shape shape{k, d, k};
  auto none = [](int) { return 0.0; };
  return zoned(scope - 1 - 2 * query + 2, shape, none, any_far_simple(query, shape, fill));
}

double covers_fpr(const RangeSize& size, const Shape& shape, double query, const Fill& fill) {
  double outside = size.outside();
  if (outside <= 0) return 0;
  double d = static_cast<double>(shape.d);
  // Mean over alignments of sum_{e=1}^{query-1} q^(s*j), where e values stick out by j groups:
  // j=0 happens for (d-1) values in all, and so on, so count how many (offset, e) pairs give j.
  double last = query - 1;
  double sticking = 0;
  for (double j = 0; j * d <= last + d - 1; ++j) {
    double chance = fill.power(j * shape.s);
    if (chance < 1e-18 && j > 0) break;
    // Pairs offset in [0,d), e in [1,last] with j*d <= offset+e < (j+1)*d.
    auto below = [&](double limit) {  // pairs with offset+e < limit
      auto triangle = [](double x) { return x > 0 ? x * (x - 1) / 2 : 0.0; };
      return triangle(limit) - triangle(limit - d) - triangle(limit - last) +
             triangle(limit - last - d);
    };
    sticking += chance * (below((j + 1) * d) - below(j * d));
  }
  double edges = std::min(outside, 2 * last);
  double share = last > 0 ? edges * (sticking / d / last) : 0;
  double groups = groups_touched(query, shape);
  double far = fill.power((groups - 1) * shape.s + shape.k);
  return (share + (outside - edges) * far) / outside;
}

std::int64_t point_group_size(double scope, double query, const Fill& fill, int k) {
  double best = std::sqrt(std::max(0.0, (query - 1) * (scope - 2 * query + 1) * fill.power(k)));
  return std::max<std::int64_t>(1, std::llround(best));
}

int weighted_k_offset(double weight, const Fill& fill) {
  return static_cast<int>(std::lround(std::log(weight) / -std::log(fill.set)));
}

}  // namespace beckon::filters
