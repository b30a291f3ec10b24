#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "filters/positions.h"

namespace beckon::filters {

/// One level of a tree: every filter in it has so many bits and positions.
struct TreeLevel {
  std::uint32_t bits = 0;
  std::uint32_t k = 1;
  friend bool operator==(const TreeLevel&, const TreeLevel&) = default;
};

enum class TreeHashing : std::uint8_t {
  independent = 0,     // word() of a counter that no two filters share
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
                   Filter& out) const {
    return of(element, level, filter, out.data());
  }
  /// The same into max_k numbers. Inline, for it is all that inserting and asking do.
  std::uint32_t of(const Hash128& element, std::size_t level, std::uint32_t filter,
                   std::uint32_t* out) const;
  Hash128 salted(const Hash128& element) const;  // what `of` wants, once per element

 private:
  struct Level {
    Modulus modulus;
    std::uint32_t bits;
    std::uint32_t k;
    std::uint32_t first_word;  // of the level's first filter
  };
  std::vector<Level> levels_;
  TreeHashing hashing_;
  bool partitioned_;
  std::uint64_t salt_;
};

inline std::uint32_t TreePositions::of(const Hash128& element, std::size_t level,
                                       std::uint32_t filter, std::uint32_t* out) const {
  const Level& here = levels_[level];
  std::uint32_t first = here.first_word + filter * here.k;
  std::uint32_t base = filter * here.bits;
  std::uint32_t slice = level == 0 && partitioned_ ? here.modulus.value() : 0;
  std::uint32_t count = 0;
  for (std::uint32_t j = 0; j < here.k; ++j) {
    std::uint32_t w = hashing_ == TreeHashing::independent
                          ? word(element, first + j)
                          : static_cast<std::uint32_t>(element.low) +
                                (first + j + 1) * static_cast<std::uint32_t>(element.high);
    std::uint32_t bit = base + here.modulus.of(w) + j * slice;
    bool seen = false;
    for (std::uint32_t i = 0; i < count; ++i) seen |= out[i] == bit;
    out[count] = bit;
    count += seen ? 0 : 1;
  }
  return count;
}

}  // namespace beckon::filters
