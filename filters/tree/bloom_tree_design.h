// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "filters/tree/bloom_tree_rates.h"
#include "filters/tree/nsga2.h"

namespace beckon::filters {

/// A tree for any number of elements: what it costs depends on ratios only (bloomtree 7.1).
struct TreeDesign {
  double root_bits = 1;             // of the root, per element
  std::vector<TreeLevel> levels{};  // levels[0].bits follows from root_bits and is 0 here
  TreeRates rates{};
  double sent_bits = 0;    // per element: filters below ones, by pattern
  double whole_bits = 0;   // per element, all levels whole: the paper's W
  double stored_bits = 0;  // per element: the paper's M

  BloomTreeShape shape(std::uint64_t elements, std::uint64_t salt = 0) const;
};

/// What is made small.
enum class TreeAim {
  arithmetic,  // the arithmetic rate and the bits really sent: what an exchange costs
  geometric,   // the geometric mean and whole levels: the paper's. Its third aim, the ratio to a
               // plain filter, is better wherever both of these are, and so changes no front.
};

struct TreeSearch {
  std::size_t depth = 2;  // 2 .. 5
  TreeAim aim = TreeAim::arithmetic;
  std::vector<double> root_bits{1};  // to choose from; the paper gives one
  Gene root_k{2, 8};                 // the paper's bounds C1 and C2
  Gene lower_bits{2, 8};
  Gene lower_k{1, 4};
  double least_rate = 0;  // designs whose rate (of the aim) is outside are left out, so that the
  double most_rate = 1;   // search spends itself on what is wanted
  double most_stored_bits = 256;  // per element; larger trees are not looked at
  std::uint32_t sample = 2000;    // elements in the trees that are built to measure a design
  std::uint64_t seed = 1;
  Nsga2Options evolution{};
  std::function<void(std::size_t)> progress{};  // told how many designs have been measured
};

/// A design's figures, measured on a tree of `sample` elements made from `seed`.
TreeDesign measure_design(double root_bits, std::vector<TreeLevel> levels, std::uint32_t sample,
                          std::uint64_t seed);

/// The front over every design within the bounds: 196 for each root length at depth 2, 28 times as
/// many for each level more.
std::vector<TreeDesign> search_all(const TreeSearch& search);

/// The front that NSGA-II finds.
std::vector<TreeDesign> search_evolving(const TreeSearch& search);

/// Exhaustive at depth 2, evolving below, as the paper advises. By falling size.
std::vector<TreeDesign> search_designs(const TreeSearch& search);

}  // namespace beckon::filters
