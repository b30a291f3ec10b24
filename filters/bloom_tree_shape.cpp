#include "filters/bloom_tree_shape.h"

#include <fmt/core.h>

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

TreePositions::TreePositions(const BloomTreeShape& shape)
    : hashing_(shape.hashing), partitioned_(shape.partitioned), salt_(shape.salt) {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < shape.depth(); ++i) {
    auto [bits, k] = shape.levels[i];
    std::uint32_t range = i == 0 && partitioned_ ? bits / k : bits;
    levels_.push_back({Modulus(range), bits, k, static_cast<std::uint32_t>(first)});
    first += shape.filters(i) * k;
  }
}

Hash128 TreePositions::salted(const Hash128& element) const {
  return {.low = element.low ^ salt_ * 0x9e3779b97f4a7c15ULL,
          .high = element.high + std::rotl(salt_, 32)};
}

}  // namespace beckon::filters
