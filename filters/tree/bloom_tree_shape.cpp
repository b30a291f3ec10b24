// SPDX-License-Identifier: MIT
#include "filters/tree/bloom_tree_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace beckon::filters {

Result<void> BloomTreeShape::check() const {
  if (levels.empty() || levels.size() > max_depth) {
    return invalid(fmt::format("a tree has 1 to {} levels, not {}", max_depth, levels.size()));
  }
  std::uint64_t filter_count = 1;
  std::uint64_t bits = 0;
  std::uint64_t visits = 1;
  for (const TreeLevel& level : levels) {
    if (level.bits < 2 || level.k < 1 || level.k > max_k) {
      return invalid(
          fmt::format("a filter of a tree has 2 bits or more and 1 to {} positions", max_k));
    }
    if (visits > max_visits) return invalid("an element would be in too many filters of the tree");
    // Both factors are at most 2^32, so the product does not overflow.
    filter_count *= level.bits;
    bits += filter_count;
    if (bits > max_bits) return invalid(fmt::format("a tree has at most {} bits", max_bits));
    visits *= level.k;
  }
  if (partitioned && levels[0].bits % levels[0].k != 0) {
    return invalid("the root of a partitioned tree is a multiple of its k long");
  }
  if (partitioned && levels[0].bits / levels[0].k < 2) {
    return invalid("the slices of a partitioned root have 2 bits or more");
  }
  return {};
}

std::uint64_t BloomTreeShape::filters(std::size_t level) const {
  std::uint64_t out = 1;
  for (std::size_t i = 0; i < level; ++i) out *= levels[i].bits;
  return out;
}

std::uint64_t BloomTreeShape::level_bits(std::size_t level) const { return filters(level + 1); }

std::uint64_t BloomTreeShape::total_bits() const {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < depth(); ++i) out += level_bits(i);
  return out;
}

namespace {

/// bits^k is at most 2^24, so that cutting k digits from 32 bits leaves each within 1/256 of fair.
bool fits_one_word(std::uint32_t bits, std::uint32_t k) {
  std::uint64_t all = 1;
  for (std::uint32_t j = 0; j < k && all <= 1U << 24; ++j) all *= bits;
  return bits <= 64 && all <= 1U << 24;
}

}  // namespace

TreePositions::TreePositions(const BloomTreeShape& shape)
    : hashing_(shape.hashing), partitioned_(shape.partitioned), salt_(shape.salt) {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < shape.depth(); ++i) {
    auto [bits, k] = shape.levels[i];
    std::uint32_t range = i == 0 && partitioned_ ? bits / k : bits;
    bool small = i > 0 && hashing_ == TreeHashing::independent && fits_one_word(bits, k);
    levels_.push_back({Modulus(range), bits, k, static_cast<std::uint32_t>(first), small});
    first += shape.filters(i) * (small ? 1 : k);
  }
}

std::uint32_t TreePositions::of(const Hash128& element, std::size_t level, std::uint32_t filter,
                                Filter& out) const {
  all_of(element, level, filter, out.data());
  std::uint32_t count = 0;
  for (std::uint32_t j = 0; j < levels_[level].k; ++j) {
    bool seen = std::find(out.begin(), out.begin() + count, out[j]) != out.begin() + count;
    if (!seen) out[count++] = out[j];
  }
  return count;
}

Hash128 TreePositions::salted(const Hash128& element) const {
  return {.low = element.low ^ salt_ * 0x9e3779b97f4a7c15ULL,
          .high = element.high + std::rotl(salt_, 32)};
}

}  // namespace beckon::filters
