// SPDX-License-Identifier: MIT
#include "filters/spectral/range_tree.h"

#include <algorithm>
#include <limits>

namespace beckon::filters {

RangeTree::RangeTree(const RangeTreeShape& shape, SpectralFilter filter)
    : shape_(shape), filter_(std::move(filter)) {
  // Level l has nodes of degree^l values; the level of one node is the root.
  std::uint64_t nodes = shape.size;
  while ((nodes = (nodes + shape.degree - 1) / shape.degree) > 1) ++levels_;
}

Result<RangeTree> RangeTree::make(const RangeTreeShape& shape) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (shape.size < 1 || shape.size > most) return invalid("a range tree has 1 to 2^62 values");
  if (shape.degree < 2 || shape.degree > 64) return invalid("a range tree has degree 2 to 64");
  if (shape.low > std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(most)) {
    return invalid("the range tree's values pass 64 bits");
  }
  auto filter = SpectralFilter::make(shape.filter);
  if (!filter) return filter.error();
  return RangeTree(shape, std::move(*filter));
}

Hash128 RangeTree::node(std::uint32_t level, std::uint64_t index) const {
  ByteWriter key;
  key.u32(level);
  key.u64(index);
  return xxh3_128(key.bytes(), shape_.filter.salt);
}

std::uint64_t RangeTree::leaf(std::int64_t value) const {
  return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(shape_.low);
}

bool RangeTree::holds(std::int64_t value) const {
  return value >= shape_.low && leaf(value) < shape_.size;
}

Result<void> RangeTree::insert(std::int64_t value, std::uint64_t count) {
  if (!holds(value)) return invalid(std::to_string(value) + " is outside the range tree");
  std::uint64_t index = leaf(value);
  for (std::uint32_t level = 0; level < levels_; ++level, index /= shape_.degree) {
    filter_.insert(node(level, index), count);
  }
  total_ = count_up(total_, count);
  return {};
}

bool RangeTree::remove(std::int64_t value, std::uint64_t count) {
  if (!holds(value)) return false;
  std::uint64_t index = leaf(value);
  for (std::uint32_t level = 0; level < levels_; ++level, index /= shape_.degree) {
    if (filter_.remove(node(level, index), count)) continue;
    // Some node of the branch has fewer: put back what was taken below it.
    index = leaf(value);
    for (std::uint32_t below = 0; below < level; ++below, index /= shape_.degree) {
      filter_.insert(node(below, index), count);
    }
    return false;
  }
  total_ = count_down(total_, count);
  return true;
}

RangeTree::Answer RangeTree::count(std::int64_t lo, std::int64_t hi) const {
  Answer out;
  lo = std::max(lo, shape_.low);
  hi = std::min(hi, shape_.low + static_cast<std::int64_t>(shape_.size - 1));
  if (lo > hi) return out;
  std::uint64_t first = leaf(lo);
  std::uint64_t past = leaf(hi) + 1;
  if (past - first == shape_.size) return {.count = total_, .estimates = 0};
  auto ask = [&](std::uint32_t level, std::uint64_t index) {
    std::uint64_t more = filter_.estimate(node(level, index));
    out.count = count_up(out.count, more);
    ++out.estimates;
  };
  for (std::uint32_t level = 0; first < past; ++level) {
    bool top = level + 1 == levels_;  // above is only the root
    while (first < past && (top || first % shape_.degree != 0)) ask(level, first++);
    while (first < past && past % shape_.degree != 0) ask(level, --past);
    first /= shape_.degree;
    past /= shape_.degree;
  }
  return out;
}

}  // namespace beckon::filters
