// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "filters/tree/bloom_tree_shape.h"

namespace beckon::filters {

// A tree's insert and query with all filters of a level side by side: the words of as many filters
// as there are lanes are made at once, and their bits fetched at once. The same bits as
// TreePositions gives.

/// The usual trees: independent positions, below the root filters of 24 bits at most, and bits that
/// a 32-bit number counts.
bool walks_by_lanes(const BloomTreeShape& shape, const TreePositions& positions);

template <typename Word>
struct TreeBits {
  const TreePositions& positions;
  std::span<const std::uint64_t> offsets;  // of the levels
  std::span<Word> words;
};

void insert_by_lanes(const TreeBits<std::uint64_t>& tree, const Hash128& salted);
bool find_by_lanes(const TreeBits<const std::uint64_t>& tree, const Hash128& salted);

/// The same with an element in each lane, for as many as fill whole vectors; returns how many those
/// were.
std::size_t insert_many(const TreeBits<std::uint64_t>& tree, std::span<const Hash128> elements);
std::size_t find_many(const TreeBits<const std::uint64_t>& tree, std::span<const Hash128> elements,
                      bool* out);

}  // namespace beckon::filters
