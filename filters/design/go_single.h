// SPDX-License-Identifier: MIT
#pragma once

#include "filters/design/go_design.h"

namespace beckon::filters {

enum class Scheme { traditional, grouping, overlapping, go };

struct SingleOptimum {
  Shape shape{};
  double fpr = 1;
  double positions = 0;
};

struct KLimits {
  int low = 1;
  int high = design_limits::max_k;
};

/// The best layout of one range alone in a filter (report section IV.1): outside, the sequence
/// ...,(2,1),(1,1),(1,2),... is climbed from sigma = m ln 2 / n; inside, k follows. Neither curve
/// is always unimodal, so both look three steps past a minimum before they stop.
SingleOptimum optimise_single(double bits, const RangeSize& size, Scheme scheme, KLimits k = {});

/// The smallest rate over k for one place in the sequence: t >= 0 is (1, 1+t), t < 0 is (1-t, 1).
SingleOptimum best_k_at(double bits, const RangeSize& size, std::int64_t t, KLimits k = {});

}  // namespace beckon::filters
