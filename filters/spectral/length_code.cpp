// SPDX-License-Identifier: MIT
#include "filters/spectral/length_code.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace beckon::filters {

namespace {

using Counts = std::array<std::uint64_t, LengthCode::lengths>;

/// Depths of the leaves of a Huffman tree over 64 positive weights.
LengthCode::Sizes huffman(const Counts& weights) {
  struct Node {
    std::uint64_t weight;
    unsigned id;
    bool operator>(const Node& o) const {
      return weight != o.weight ? weight > o.weight : id > o.id;
    }
  };
  std::priority_queue<Node, std::vector<Node>, std::greater<>> open;
  std::array<unsigned, 2 * LengthCode::lengths> parent{};
  for (unsigned i = 0; i < LengthCode::lengths; ++i) open.push({weights[i], i});
  unsigned next = LengthCode::lengths;
  while (open.size() > 1) {
    Node a = open.top();
    open.pop();
    Node b = open.top();
    open.pop();
    parent[a.id] = parent[b.id] = next;
    open.push({a.weight + b.weight, next++});
  }
  LengthCode::Sizes sizes{};
  for (unsigned i = 0; i < LengthCode::lengths; ++i) {
    for (unsigned node = i; node != next - 1; node = parent[node]) ++sizes[i];
  }
  return sizes;
}

std::uint16_t reversed(std::uint32_t code, unsigned size) {
  std::uint32_t out = 0;
  for (unsigned i = 0; i < size; ++i) out |= (code >> i & 1) << (size - 1 - i);
  return static_cast<std::uint16_t>(out);
}

}  // namespace

LengthCode::LengthCode(const Sizes& sizes) : sizes_(sizes), table_(1U << max_bits) {
  std::array<std::uint8_t, 1U << max_bits> first{};  // the length whose code these bits begin with
  std::uint32_t next = 0;
  for (unsigned size = 1; size <= max_bits; ++size, next <<= 1) {
    for (unsigned length = 0; length < lengths; ++length) {
      if (sizes_[length] != size) continue;
      codes_[length] = reversed(next++, size);
      for (std::uint32_t rest = 0; rest < 1U << (max_bits - size); ++rest) {
        first[codes_[length] | rest << size] = static_cast<std::uint8_t>(length);
      }
    }
  }
  for (std::uint32_t bits = 0; bits < table_.size(); ++bits) {
    Entry& entry = table_[bits];
    while (entry.count < 8) {
      std::uint64_t length = first[bits >> entry.consumed];
      if (entry.consumed + sizes_[length] > max_bits) break;
      entry.lengths |= length << (8 * entry.count);
      entry.payloads |= (length == 0 ? 0 : length - 1) << (8 * entry.count);
      entry.consumed = static_cast<std::uint8_t>(entry.consumed + sizes_[length]);
      ++entry.count;
    }
  }
}

LengthCode LengthCode::from_counts(const Counts& counts) {
  // Halving the weights flattens the tree; 64 equal weights need only 6 bits, so this ends.
  Counts weights = counts;
  for (std::uint64_t& weight : weights) weight = weight * 4 + 1;
  Sizes sizes = huffman(weights);
  while (*std::max_element(sizes.begin(), sizes.end()) > max_bits) {
    for (std::uint64_t& weight : weights) weight = weight / 2 + 1;
    sizes = huffman(weights);
  }
  return LengthCode(sizes);
}

Result<LengthCode> LengthCode::from_sizes(const Sizes& sizes) {
  std::uint32_t kraft = 0;
  for (std::uint8_t size : sizes) {
    if (size < 1 || size > max_bits) return invalid("a length code has sizes of 1 to 10 bits");
    kraft += 1U << (max_bits - size);
  }
  if (kraft != 1U << max_bits) return invalid("the length code is not a complete prefix code");
  return LengthCode(sizes);
}

}  // namespace beckon::filters
