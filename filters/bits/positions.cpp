// SPDX-License-Identifier: MIT
#include "filters/bits/positions.h"

#include <algorithm>

namespace beckon::filters {

namespace {

/// Fields with their lengths, so that no two lists of fields give the same bytes.
Bytes element_bytes(std::uint8_t tag, ByteView salt, std::string_view a, std::string_view b = {}) {
  ByteWriter out;
  out.u8(tag);
  out.counted32(salt);
  out.counted32(as_bytes(a));
  out.raw(as_bytes(b));
  return out.take();
}

/// A permutation of 64 bits in which every output bit depends on every input bit.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint8_t attribute_tag = 0;

}  // namespace

Hash128 text_seed(ByteView salt, std::string_view attribute, std::string_view value) {
  return xxh3_128(element_bytes(static_cast<std::uint8_t>(Kind::text), salt, attribute, value));
}

AttributeSeed attribute_seed(ByteView salt, std::string_view attribute) {
  return AttributeSeed{xxh3_64(element_bytes(attribute_tag, salt, attribute))};
}

Hash128 group_seed(AttributeSeed attribute, Kind kind, std::uint64_t group) {
  // The halves combine attribute and group in different ways: a shift of the group that maps one
  // attribute's low halves onto another's leaves the high halves unlike.
  auto key = static_cast<std::uint64_t>(attribute) +
             static_cast<std::uint64_t>(kind) * 0xd6e8feb86659fd93ULL;
  return {.low = mix(key + group * 0x9e3779b97f4a7c15ULL),
          .high = mix((key << 32 | key >> 32) ^ (group + 0xa0761d6478bd642fULL))};
}

void positions(const Hash128& seed, const Modulus& m, std::span<std::uint32_t> out) {
  for (std::uint32_t j = 0; j < out.size(); ++j) out[j] = m.of(word(seed, j));
}

void set_each_position(std::span<const Hash128> seeds, std::uint32_t k, const Modulus& m,
                       std::span<std::uint64_t> bits) {
  for (const Hash128& seed : seeds) {
    for (std::uint32_t j = 0; j < k; ++j) {
      std::uint32_t position = m.of(word(seed, j));
      bits[position / 64] |= std::uint64_t{1} << (position % 64);
    }
  }
}

void group_positions(AttributeSeed attribute, Kind kind, std::uint64_t first, std::uint32_t s,
                     const Modulus& m, std::span<std::uint32_t> out) {
  while (!out.empty()) {
    std::size_t count = std::min<std::size_t>(s, out.size());
    positions(group_seed(attribute, kind, first++), m, out.first(count));
    out = out.subspan(count);
  }
}

}  // namespace beckon::filters
