// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "filters/tree/bloom_tree.h"

namespace beckon::filters {

/// How often a tree errs, from its bits alone and exactly, where the paper samples.
///
/// geometric: the paper's posterior (eq. 11-13): queries that pass from ones to ones, k of them in
/// each filter; the product of fill^k over the filters on the way; the geometric mean over queries.
/// arithmetic: the chance that an element never inserted, its positions independent and uniform, is
/// taken for a member. This is what false answers cost; it can be a thousand times the other.
struct TreeRates {
  double geometric = 0;
  double arithmetic = 0;
};

TreeRates rates(const BloomTree& tree);

/// Bits an ideal coder needs, level by level.
enum class SentLevels {
  whole,             // every bit of every level (eq. 7)
  children_of_ones,  // both ends know that the rest is zero
  filters_of_ones,   // the same, and small filters by their pattern: what encode() sends
};
std::vector<double> entropy_by_level(const BloomTree& tree, SentLevels sent);
double entropy_bits(const BloomTree& tree, SentLevels sent);

}  // namespace beckon::filters
