// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "filters/go/go_model.h"

namespace beckon::filters {

/// Dyadic prefixes, a rival of the GO filter: a range becomes the fewest aligned blocks of
/// 2^g, 2^(g+1), ... values that cover it, each block one key of k positions; a value is asked
/// for as one key per level. Cells of 2^g values are not told apart.

int dyadic_levels(double scope);  // L: the smallest with 2^L >= scope

/// Chance of each number of blocks, over a random alignment; index = number of blocks.
std::vector<double> dyadic_blocks(double width, int level);

/// Keys that a window of `query` values asks for, over all levels.
double dyadic_probes(double scope, double query, int level);

double dyadic_fpr(const RangeSize& size, int level, int k, double query, const Fill& fill);

}  // namespace beckon::filters
