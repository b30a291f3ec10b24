// SPDX-License-Identifier: MIT
#include "filters/tree/bloom_tree_codec.h"

#include <algorithm>

#include "filters/bits/bit_runs.h"
#include "filters/coding/bit_coder.h"
#include "filters/coding/filter_coder.h"

namespace beckon::filters {

namespace {

constexpr std::uint32_t magic = 0x424b4254;  // "BKBT"
constexpr std::uint8_t version = 2;
constexpr std::uint8_t double_hashing_flag = 1;
constexpr std::uint8_t partitioned_flag = 2;
constexpr std::size_t checksum_bytes = 8;

/// The inverse of children_of_ones.
BitArray spread(const BitArray& parents, const BitArray& children, std::uint32_t m) {
  BitArray out(parents.size() * m);
  std::uint64_t from = 0;
  for (std::uint64_t bit = 0; bit < parents.size(); ++bit) {
    if (!parents.test(bit)) continue;
    copy_run(children, from, out, bit * m, m);
    from += m;
  }
  return out;
}

}  // namespace

void put_shape(ByteWriter& out, const BloomTreeShape& shape) {
  bool doubled = shape.hashing == TreeHashing::double_hashing;
  out.u8(static_cast<std::uint8_t>((doubled ? double_hashing_flag : 0) |
                                   (shape.partitioned ? partitioned_flag : 0)));
  out.u8(static_cast<std::uint8_t>(shape.depth()));
  out.u64(shape.salt);
  for (const TreeLevel& level : shape.levels) {
    out.u32(level.bits);
    out.u8(static_cast<std::uint8_t>(level.k));
  }
}

Result<BloomTreeShape> take_shape(ByteReader& in) {
  std::uint8_t flags = in.u8();
  std::uint8_t depth = in.u8();
  if (flags > (double_hashing_flag | partitioned_flag)) return invalid("unknown flags of a tree");
  if (depth > BloomTreeShape::max_depth) return invalid("the tree is too deep");
  BloomTreeShape shape;
  shape.hashing =
      (flags & double_hashing_flag) != 0 ? TreeHashing::double_hashing : TreeHashing::independent;
  shape.partitioned = (flags & partitioned_flag) != 0;
  shape.salt = in.u64();
  for (std::uint8_t i = 0; i < depth; ++i) {
    std::uint32_t bits = in.u32();
    shape.levels.push_back({.bits = bits, .k = in.u8()});
  }
  if (!in.ok()) return invalid("the head of the tree is cut off");
  auto checked = shape.check();
  if (!checked) return checked.error();
  return shape;
}

BitArray children_of_ones(const BloomTree& tree, std::size_t level) {
  BitArray parents = tree.level(level);
  std::uint32_t m = tree.shape().levels[level + 1].bits;
  BitArray out(parents.count() * m);
  std::uint64_t to = 0;
  for (std::uint64_t bit = 0; bit < parents.size(); ++bit) {
    if (!parents.test(bit)) continue;
    copy_run(tree.bits(), tree.offset(level + 1) + bit * m, out, to, m);
    to += m;
  }
  return out;
}

Bytes encode(const BloomTree& tree) {
  ByteWriter out;
  out.u32(magic);
  out.u8(version);
  put_shape(out, tree.shape());
  for (std::size_t i = 0; i < tree.shape().depth(); ++i) {
    out.counted32(i == 0
                      ? encode_bits(tree.level(0), sent_bits)
                      : encode_filters(children_of_ones(tree, i - 1), tree.shape().levels[i].bits));
  }
  out.u64(xxh3_64(out.bytes()));
  return out.take();
}

Result<BloomTree> decode_bloom_tree(ByteView bytes, std::uint64_t most_bits) {
  ByteReader in(bytes);
  if (in.u32() != magic) return invalid("not a tree of filters");
  if (in.u8() != version) return invalid("a tree of filters of a version we do not know");
  if (bytes.size() < checksum_bytes) return invalid("the tree is cut off");
  ByteReader sum(bytes.last(checksum_bytes));
  if (sum.u64() != xxh3_64(bytes.first(bytes.size() - checksum_bytes))) {
    return invalid("the checksum of the tree is wrong");
  }
  auto shape = take_shape(in);
  if (!shape) return shape.error();
  if (shape->total_bits() > most_bits) return invalid("the tree is larger than we take");
  std::vector<BitArray> levels;
  for (std::size_t i = 0; i < shape->depth(); ++i) {
    std::uint32_t m = shape->levels[i].bits;
    std::size_t expected = i == 0 ? m : levels.back().count() * m;
    ByteView coded = in.counted32();
    auto bits = i == 0 ? decode_bits(expected, coded) : decode_filters(expected, m, coded);
    if (!bits) return bits.error();
    levels.push_back(i == 0 ? std::move(*bits) : spread(levels.back(), *bits, m));
  }
  if (!in.ok() || in.remaining() != checksum_bytes) return invalid("the tree has the wrong length");
  return BloomTree::from_levels(std::move(*shape), levels);
}

}  // namespace beckon::filters
