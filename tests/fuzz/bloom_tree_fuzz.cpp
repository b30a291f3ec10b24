// SPDX-License-Identifier: MIT
// Entropy-coded bits and trees of filters as received: refused, or read within bounds and equal to
// their own re-encoding. The checksum is repaired so that lies get past it.
#include "filters/coding/bit_coder.h"
#include "filters/tree/bloom_tree_codec.h"
#include "tests/filters/checksum.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

constexpr std::uint64_t most_bits = 1 << 16;

void try_bits(std::size_t bits, ByteView bytes) {
  auto got = decode_bits(bits, bytes);
  if (!got) return;
  ENSURE(got->size() == bits);
  auto again = decode_bits(bits, encode_bits(*got));
  ENSURE(again && *again == *got);
}

void try_tree(ByteView bytes) {
  auto got = decode_bloom_tree(bytes, most_bits);
  if (!got) return;
  ENSURE(got->shape().total_bits() <= most_bits);
  got->may_contain({.low = 1, .high = 2});
  auto again = decode_bloom_tree(encode(*got), most_bits);
  ENSURE(again && *again == *got);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes input(data, data + size);
  try_tree(input);
  try_bits(1000, input);
  try_bits(size > 0 ? data[0] * 100U : 0, input);
  repair_checksum(input);
  try_tree(input);
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  std::vector<Bytes> out;
  for (std::uint32_t every : {2, 5, 30, 200}) {
    BitArray bits(1000);
    for (std::uint32_t i = 0; i < 1000; i += every) bits.set(i);
    out.push_back(encode_bits(bits));
  }
  for (bool partitioned : {false, true}) {
    BloomTree tree =
        *BloomTree::make({.levels = {{120, 3}, {4, 2}, {3, 1}}, .partitioned = partitioned});
    for (std::uint64_t i = 0; i < 40; ++i) tree.insert({.low = i * 77, .high = ~i});
    out.push_back(encode(tree));
  }
  return out;
}
