// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"

namespace beckon::filters {

/// The lookup table of the string-array index (spectral-filters 4.3). Counters of a chunk are
/// described by the lengths of their binary forms, 0..63 bits; the lengths are written in a Huffman
/// code made from their own statistics. The table answers, for the next ten bits of such a
/// description, which lengths they hold (up to eight at a time). Every length has a code, so a
/// counter may grow past anything seen when the code was made. Rebuilt from 64 code sizes, never
/// sent.
class LengthCode {
 public:
  static constexpr unsigned lengths = 64;
  static constexpr unsigned max_bits = 10;
  using Sizes = std::array<std::uint8_t, lengths>;

  /// One answer of the table; byte j of the two words belongs to the j-th length.
  struct Entry {
    std::uint64_t lengths = 0;   // bits of the binary form, leading one included
    std::uint64_t payloads = 0;  // bits stored: without the leading one, which the length implies
    std::uint8_t count = 0;
    std::uint8_t consumed = 0;  // bits of the description read
  };

  /// Optimal for these counts of each length, apart from the limit of ten bits.
  static LengthCode from_counts(const std::array<std::uint64_t, lengths>& counts);
  /// Refuses sizes that are not those of a complete prefix code.
  static Result<LengthCode> from_sizes(const Sizes& sizes);

  unsigned size(unsigned length) const { return sizes_[length]; }
  std::uint64_t code(unsigned length) const { return codes_[length]; }  // first bit lowest
  const Entry& look(std::uint64_t ten_bits) const { return table_[ten_bits]; }
  const Sizes& sizes() const { return sizes_; }

 private:
  explicit LengthCode(const Sizes& sizes);

  Sizes sizes_;
  std::array<std::uint16_t, lengths> codes_{};
  std::vector<Entry> table_;
};

}  // namespace beckon::filters
