// SPDX-License-Identifier: MIT
#pragma once

#include "filters/tree/bloom_tree.h"

namespace beckon::filters {

/// A tree as bytes: "BKBT", version, flags (1 double hashing, 2 partitioned), depth, salt, length
/// and k of each level, then for each level a u32 length and its bits entropy coded
/// (range_coder.h), and XXH3-64 of everything before. Of a level below the root only the children
/// of ones are there.
Bytes encode(const BloomTree& tree);

/// Refuses what encode cannot have written, and trees of more than `most_bits` before memory is
/// taken for them: few bytes may stand for a large empty tree.
Result<BloomTree> decode_bloom_tree(ByteView bytes,
                                    std::uint64_t most_bits = std::uint64_t{1} << 26);

/// The shape alone, as it stands in the head of a tree and of an exchange.
void put_shape(ByteWriter& out, const BloomTreeShape& shape);
Result<BloomTreeShape> take_shape(ByteReader& in);

/// The children of the ones of `level` laid end to end: what is sent of level + 1.
BitArray children_of_ones(const BloomTree& tree, std::size_t level);

}  // namespace beckon::filters
