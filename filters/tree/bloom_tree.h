// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "filters/bits/bit_array.h"
#include "filters/tree/bloom_tree_shape.h"

namespace beckon::filters {

/// A set as a tree of small Bloom filters (bloomtree): an element sets its bits in the root, then
/// in the children of these bits, and so on down. Never denies what was inserted. All filters lie
/// in one bit array, breadth first, and their places are computed; no bit below a zero is ever one.
///
/// What it is good for: two trees are compared level by level and the parts that differ are left
/// out early (filters/exchange/exchange.h). As a set that is sent once, it is no smaller than a
/// compressed filter at the same rate (docs/filters-bloomtree.md).
class BloomTree {
 public:
  static Result<BloomTree> make(BloomTreeShape shape);
  /// From the bits of the levels, each as long as the shape says. Refuses ones below zeros.
  static Result<BloomTree> from_levels(BloomTreeShape shape, std::span<const BitArray> levels);

  void insert(const Hash128& element);
  bool may_contain(const Hash128& element) const;
  /// The same for many, several times as fast: out[i] answers elements[i].
  void insert_all(std::span<const Hash128> elements);
  void may_contain(std::span<const Hash128> elements, std::span<bool> out) const;

  /// Afterwards holds at least what both hold; false, and nothing changes, if the shapes differ.
  /// Bits whose child filter came out empty are cleared, for no common element has set them.
  bool intersect(const BloomTree& other);
  bool merge(const BloomTree& other);  // then holds both sets

  const BloomTreeShape& shape() const { return shape_; }
  const BitArray& bits() const { return bits_; }
  std::uint64_t offset(std::size_t level) const { return offsets_[level]; }
  bool test(std::size_t level, std::uint64_t bit) const {
    return bits_.test(offsets_[level] + bit);
  }
  BitArray level(std::size_t level) const;
  double fill(std::size_t level) const;

  friend bool operator==(const BloomTree& a, const BloomTree& b) {
    return a.shape_ == b.shape_ && a.bits_ == b.bits_;
  }

 private:
  explicit BloomTree(BloomTreeShape shape);
  void prune();

  BloomTreeShape shape_;
  TreePositions positions_;
  std::vector<std::uint64_t> offsets_;
  bool by_lanes_ = false;  // the shape is one of tree_lanes.h
  BitArray bits_;
};

}  // namespace beckon::filters
