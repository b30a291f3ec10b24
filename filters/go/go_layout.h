// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "filters/bits/positions.h"

namespace beckon::filters {

/// The values a numeric attribute may take, both ends included. Any 64-bit bounds, lo <= hi.
struct Scope {
  std::int64_t lo = 0;
  std::int64_t hi = 0;

  bool contains(std::int64_t v) const { return lo <= v && v <= hi; }
  /// v - lo, which needs all 64 bits when the scope spans more than half of the numbers.
  std::uint64_t offset(std::int64_t v) const {
    return static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(lo);
  }
  friend bool operator==(const Scope&, const Scope&) = default;
};

/// How values become positions: d neighbouring values form a group; a group brings s fresh
/// positions and borrows the rest of its k from the groups after it (docs/filters.md). s == k: no
/// overlapping.
struct Grouping {
  std::uint64_t d = 1;
  std::uint32_t s = 0;  // 0 in a specification means k
  friend bool operator==(const Grouping&, const Grouping&) = default;
};

/// The number of groups on each side that share positions with a group: ceil(k / s) - 1.
constexpr std::uint32_t sharing_neighbours(std::uint32_t k, std::uint32_t s) {
  return (k + s - 1) / s - 1;
}

/// Where position j of an element lies: `block` groups further on, word `index` of that group.
struct BlockPosition {
  std::uint32_t block = 0;
  std::uint32_t index = 0;
  friend bool operator==(const BlockPosition&, const BlockPosition&) = default;
};
constexpr BlockPosition block_position(std::uint32_t j, std::uint32_t s) {
  return {.block = j / s, .index = j % s};
}

/// Published ranges and published points live in key spaces of their own: overlapping saves nothing
/// for a point, so by default a point has d = 1, s = k.
struct GoAttribute {
  std::string name{};
  AttributeSeed seed{};
  Scope scope{};
  std::uint32_t k = 0;  // 0 in a specification means the layout's k
  Grouping range{};
  Grouping point{};
  friend bool operator==(const GoAttribute&, const GoAttribute&) = default;
};

/// Neighbouring groups of one attribute written in a row: the group `first + i` owns the words
/// i*s .. i*s+k-1 of the row. So a range is inserted by setting the whole row, covered when the
/// whole row is set, and overlapped when some window of k words starting at a multiple of s is set.
/// Group numbers wrap at 2^64, the same way for whoever inserts and whoever asks.
struct GroupRow {
  AttributeSeed seed{};
  Kind kind = Kind::range;
  std::uint64_t first = 0;
  std::uint64_t more = 0;  // groups after the first
  std::uint32_t k = 1;
  std::uint32_t s = 1;

  std::uint64_t length() const;  // more * s + k words; the largest number if that overflows
  /// Positions from .. from + out.size() - 1 of the row; `from` is a multiple of s.
  void positions(std::uint64_t from, const Modulus& m, std::span<std::uint32_t> out) const;
};

/// What publisher and asker must agree on besides the overlay's salt: the base length of filters,
/// k, and d and s of every numeric attribute. Immutable and always valid; filters of a length that
/// divides the base length belong to the same layout.
class GoLayout {
 public:
  static constexpr std::uint32_t min_bits = 8;
  static constexpr std::uint32_t max_bits = 1 << 20;
  static constexpr std::uint32_t max_k = 64;
  static constexpr std::size_t max_attributes = 256;
  static constexpr std::size_t max_name = 64;

  struct Spec {
    std::uint32_t bits = 1536;
    std::uint32_t k = 15;
    std::vector<GoAttribute> attributes{};
  };

  static Result<GoLayout> create(Spec spec);

  std::uint32_t bits() const { return spec_.bits; }
  std::uint32_t k() const { return spec_.k; }  // of texts
  const std::vector<GoAttribute>& attributes() const { return spec_.attributes; }
  const GoAttribute* find(AttributeSeed seed) const;  // nullptr if the layout lacks it

  /// The row of lo..hi; both must lie in the attribute's scope, lo <= hi. `kind` is point or range.
  static GroupRow row(const GoAttribute& attribute, Kind kind, std::int64_t lo, std::int64_t hi);

  bool operator==(const GoLayout& other) const;

 private:
  explicit GoLayout(Spec spec) : spec_(std::move(spec)) {}
  Spec spec_;
};

}  // namespace beckon::filters
