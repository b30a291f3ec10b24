// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "filters/bits/bits.h"
#include "filters/spectral/length_code.h"

namespace beckon::filters {

// The block of a string array (spectral-filters 4.3, 4.7.1), everything in one piece:
//
//   "BKSA", version, 64 code sizes as nibbles, items, bits        49 bytes, big-endian integers
//   a group header for every 256 counters, and one past the end   u64 + 16 x u16, little-endian
//   the counters' bits                                            padded by 9 zero bytes
//   XXH3-64 of all of the above
//
// C1 is the u64: where the group's bits began when all was laid out. C2 is the sixteen u16: where
// each chunk of sixteen counters begins, seen from there; the top bit tells that the chunk has an
// offset vector. A chunk without one is [length codes ->][slack][<- strings]: the strings lie from
// the end of the chunk downwards, so counter i is found from the first i + 1 lengths alone. A chunk
// with an offset vector has sixteen 10-bit ends in place of the codes, and strings with their
// leading one.
//
// A group is at most 256 * (63 + 10) bits plus slack, far below log^3 N: the offset vectors the
// paper gives to whole groups cannot occur with counters of 63 bits.
struct StringArrayLayout {
  static constexpr std::uint32_t chunk_items = 16;
  static constexpr std::uint32_t group_chunks = 16;
  static constexpr std::size_t group_bytes = 8 + 2 * group_chunks;
  static constexpr std::size_t header_bytes = 4 + 1 + 32 + 4 + 8;
  static constexpr std::size_t checksum_bytes = 8;
  static constexpr std::uint16_t vector_flag = 0x8000;
  static constexpr unsigned vector_bits = 10;  // ends of at most 16 * 63 bits
  static constexpr unsigned codes_limit = 96;  // T0: a chunk with longer codes gets a vector
  static constexpr std::uint32_t max_items = 1U << 30;

  static std::uint32_t chunks(std::uint32_t items) {
    return (items + chunk_items - 1) / chunk_items;
  }
  static std::size_t groups(std::uint32_t items) { return chunks(items) / group_chunks + 1; }
};

/// Reads the groups and bits of a valid block. Owns nothing.
class StringArrayReader : public StringArrayLayout {
 public:
  using Chunk = std::array<std::uint64_t, chunk_items>;

  /// Where one counter lies: `stored` bits at `at`; its value is those bits plus `implied`.
  struct Place {
    std::uint64_t at = 0;
    unsigned stored = 0;
    std::uint64_t implied = 0;
  };

  StringArrayReader(const std::uint8_t* groups, const std::uint8_t* bits, const LengthCode& code)
      : groups_(groups), bits_(bits), code_(code) {}

  std::uint64_t value(const Place& place) const {
    return place.implied + load_bits(bits_, place.at, place.stored);
  }
  Place place(std::uint32_t i) const;
  Chunk chunk(std::uint32_t index) const;
  /// Bits of codes or vector, and strings. Reads no code past the end of the chunk, so the answer
  /// may be asked of a block not yet checked (if it has a vector, one that fits).
  unsigned used(std::uint32_t chunk) const;

  std::uint64_t start(std::uint32_t chunk) const {
    const std::uint8_t* group = groups_ + chunk / group_chunks * group_bytes;
    std::uint64_t base;
    std::memcpy(&base, group, 8);
    return base + (entry(chunk) & (vector_flag - 1));
  }
  /// Whether C2 can say that the chunk starts `shift` bits later.
  bool can_start(std::uint32_t chunk, std::uint64_t shift) const {
    return (entry(chunk) & (vector_flag - 1)) + shift < vector_flag;
  }
  bool has_vector(std::uint32_t chunk) const { return (entry(chunk) & vector_flag) != 0; }
  std::uint16_t entry(std::uint32_t chunk) const {
    std::uint16_t out;
    std::memcpy(&out, groups_ + chunk / group_chunks * group_bytes + 8 + 2 * (chunk % group_chunks),
                2);
    return out;
  }

 private:
  unsigned vector_end(std::uint64_t start, unsigned i) const {
    return static_cast<unsigned>(load_bits(bits_, start + i * vector_bits, vector_bits));
  }

  const std::uint8_t* groups_;
  const std::uint8_t* bits_;
  const LengthCode& code_;
};

/// Writes chunks into a block of zeros or of older chunks. Owns nothing.
class StringArrayWriter : public StringArrayLayout {
 public:
  using Chunk = StringArrayReader::Chunk;

  StringArrayWriter(std::uint8_t* groups, std::uint8_t* bits, const LengthCode& code)
      : groups_(groups), bits_(bits), code_(code) {}

  static unsigned needed(const Chunk& values, const LengthCode& code);  // bits, slack not counted
  void set_base(std::size_t group, std::uint64_t base) {
    std::memcpy(groups_ + group * group_bytes, &base, 8);
  }
  /// The chunk over start .. end, slack zeroed; at least needed() bits. Its group's base is set.
  void write(std::uint32_t chunk, const Chunk& values, std::uint64_t start, std::uint64_t end);
  void set_start(std::uint32_t chunk, std::uint64_t start, bool vector);
  std::uint8_t* bits() { return bits_; }

 private:
  std::uint8_t* groups_;
  std::uint8_t* bits_;
  const LengthCode& code_;
};

}  // namespace beckon::filters
