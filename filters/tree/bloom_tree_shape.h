// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "filters/bits/positions.h"

namespace beckon::filters {

/// One level of a tree: every filter in it has so many bits and positions.
struct TreeLevel {
  std::uint32_t bits = 0;
  std::uint32_t k = 1;
  friend bool operator==(const TreeLevel&, const TreeLevel&) = default;
};

enum class TreeHashing : std::uint8_t {
  independent = 0,  // word() of a counter: one for each position of the root and of large filters,
                    // one for all positions of a small filter, cut from it digit by digit
  double_hashing = 1,  // the paper's h1 + c h2 (4.5): to compare, see docs/filters-bloomtree.md
};

/// The form of a BloomTree (bloomtree 4): levels[0] is the root filter; each bit of a filter has a
/// filter of its own one level down. Two trees can be compared or intersected only if their shapes
/// are equal, the salt included.
struct BloomTreeShape {
  static constexpr std::size_t max_depth = 6;
  static constexpr std::uint64_t max_bits = std::uint64_t{1} << 29;
  static constexpr std::uint32_t max_k = 16;
  static constexpr std::uint32_t max_visits = 4096;  // filters that an element has in a level

  std::vector<TreeLevel> levels{};
  TreeHashing hashing = TreeHashing::independent;
  /// The root's positions each in a slice of their own, so that the tree falls into k independent
  /// ones (4.4). The root's length must then be a multiple of its k.
  bool partitioned = false;
  std::uint64_t salt = 0;

  Result<void> check() const;
  std::size_t depth() const { return levels.size(); }
  std::uint64_t filters(std::size_t level) const;     // how many filters a level has
  std::uint64_t level_bits(std::size_t level) const;  // all of them together
  std::uint64_t total_bits() const;
  friend bool operator==(const BloomTreeShape&, const BloomTreeShape&) = default;
};

/// Where an element's bits are. A level's bits are numbered through; bit i of a level has filter i
/// of the next one as its child.
class TreePositions {
 public:
  explicit TreePositions(const BloomTreeShape& shape);  // a shape that passed check()

  using Filter = std::array<std::uint32_t, BloomTreeShape::max_k>;
  /// The distinct bits of an element in one filter; returns how many.
  std::uint32_t of(const Hash128& element, std::size_t level, std::uint32_t filter,
                   Filter& out) const;
  Hash128 salted(const Hash128& element) const;  // what `of` wants, once per element

  /// Whether a filter's positions come as one mask: its length has room in a word and all of them
  /// in 24 bits of one hash. So it is in every level below the root that anybody would choose.
  bool small(std::size_t level) const { return levels_[level].small; }
  std::uint32_t filter_bits(std::size_t level) const { return levels_[level].bits; }
  /// The k bits of an element in one filter, repeats included, into k numbers. Inline and without
  /// a branch on the data, for it is all that inserting and asking do. Returns the same as a mask
  /// from the filter's first bit on, if the level is small.
  std::uint64_t all_of(const Hash128& element, std::size_t level, std::uint32_t filter,
                       std::uint32_t* out) const {
    const Level& here = levels_[level];
    if (!here.small) return large(element, level, filter, out), 0;
    std::uint32_t fraction = word(element, here.first_word + filter);
    std::uint64_t mask = 0;
    for (std::uint32_t j = 0; j < here.k; ++j) {
      std::uint64_t digit = std::uint64_t{fraction} * here.bits;
      mask |= std::uint64_t{1} << (digit >> 32);
      out[j] = filter * here.bits + static_cast<std::uint32_t>(digit >> 32);
      fraction = static_cast<std::uint32_t>(digit);
    }
    return mask;
  }
  std::uint32_t k(std::size_t level) const { return levels_[level].k; }

  struct Level {
    Modulus modulus;
    std::uint32_t bits;
    std::uint32_t k;
    std::uint32_t first_word;  // of the level's first filter
    bool small;
  };
  const Level& at(std::size_t level) const { return levels_[level]; }
  /// How far apart the root's positions begin: zero unless it is partitioned.
  std::uint32_t root_slice() const { return partitioned_ ? levels_[0].modulus.value() : 0; }

 private:
  void large(const Hash128& element, std::size_t level, std::uint32_t filter,
             std::uint32_t* out) const;

  std::vector<Level> levels_;
  TreeHashing hashing_;
  bool partitioned_;
  std::uint64_t salt_;
};

inline void TreePositions::large(const Hash128& element, std::size_t level, std::uint32_t filter,
                                 std::uint32_t* out) const {
  const Level& here = levels_[level];
  std::uint32_t first = here.first_word + filter * here.k;
  std::uint32_t base = filter * here.bits;
  std::uint32_t slice = level == 0 ? root_slice() : 0;
  for (std::uint32_t j = 0; j < here.k; ++j) {
    std::uint32_t w = hashing_ == TreeHashing::independent
                          ? word(element, first + j)
                          : static_cast<std::uint32_t>(element.low) +
                                (first + j + 1) * static_cast<std::uint32_t>(element.high);
    out[j] = base + here.modulus.of(w) + j * slice;
  }
}

}  // namespace beckon::filters
