// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace beckon::filters {

/// The mathematics of the grouping-overlapping (GO) filter (docs/filters.md). Everything here is an
/// expectation over independent hash positions and a uniformly random alignment of a range against
/// the group grid.

/// A numeric attribute as the formulas see it: how many values its scope has and how many
/// neighbouring ones a profile publishes. Whole numbers; double because scopes may pass 2^32.
struct RangeSize {
  double scope = 1;
  double width = 1;
  double outside() const { return scope - width; }
};

/// How one element of an attribute is hashed: k positions, `d` neighbouring values share a group,
/// each group owns `s` fresh positions and borrows the other k-s from the groups after it.
/// Traditional d=1,s=k; grouping s=k; overlapping d=1.
struct Shape {
  int k = 1;
  std::int64_t d = 1;
  int s = 1;
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// How many groups on each side of a range share positions with it.
inline int neighbours(const Shape& shape) { return (shape.k - 1) / shape.s; }

enum class FillModel { exponential, exact };  // exp(-B/m), or (1-1/m)^B

/// How full a filter is: the chance that a bit is set, kept with its complement so that neither end
/// loses digits. A variance above 0 makes power() the mean of a filter that fluctuates (Jensen).
struct Fill {
  double set = 0;       // q
  double clear = 1;     // 1 - q
  double variance = 0;  // of the fill of one filter

  double power(double j) const;       // chance that j independent positions are all set
  double complement(double j) const;  // 1 - set^j, without cancellation (the variance left out)
};

Fill fill_of(double positions, double bits, FillModel model = FillModel::exponential);
Fill fill_from(double set);  // a given q, no variance
/// The fill of real filters, which fluctuates around the model's mean.
Fill fluctuating_fill(double positions, double bits, FillModel model = FillModel::exponential);
double expected_set_bits(double positions, double bits);  // exact model

// Expected hashed positions of a published range, counted with multiplicity.
double traditional_positions(double width, int k);
double grouping_positions(double width, std::int64_t d, int k);
double overlapping_positions(double width, int s, int k);
double go_positions(double width, const Shape& shape);

// False positive rates of one value outside the range; `text` is also a point's with d=1, s=k.
double text_fpr(const Fill& fill, int k);
double grouping_fpr(const RangeSize& size, std::int64_t d, int k, const Fill& fill);
double overlapping_fpr(const RangeSize& size, int s, int k, const Fill& fill);
/// Guarded: never counts more outside values than there are; 0 when nothing is outside.
double go_fpr(const RangeSize& size, const Shape& shape, const Fill& fill);

/// A query asks for any value of a window `query` wide that does not touch the published range.
double any_fpr(const RangeSize& size, const Shape& shape, double query, const Fill& fill);
double any_far_simple(double query, const Shape& shape, const Fill& fill);  // 1-(1-q^k)^groups
/// The same for a published point (s = k): groups share nothing, so the simple form is exact.
double point_any_fpr(double scope, std::int64_t d, int k, double query, const Fill& fill);
/// A query asks whether the published range covers a window (query <= width) that sticks out.
double covers_fpr(const RangeSize& size, const Shape& shape, double query, const Fill& fill);

/// The group size that serves queries `query` wide best when single points are published (s = k).
std::int64_t point_group_size(double scope, double query, const Fill& fill, int k);

/// How much larger an attribute's k should be than that of weight 1.
int weighted_k_offset(double weight, const Fill& fill);

}  // namespace beckon::filters
