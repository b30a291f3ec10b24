// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "filters/coding/golomb.h"

namespace beckon::filters {

/// GapTable for arrays with many ones, whose gaps are short: what the next `window` bits of coded
/// gaps stand for is told in one piece of at most `most_advance` bits of the array, zeros in front
/// included, so that it can be shifted into a register. Every entry uses up some bits.
class NearGapTable {
 public:
  static constexpr unsigned window = 11;
  static constexpr unsigned most_advance = 48;  // and a byte's rest fit a word, as does an entry
  static constexpr std::uint64_t most_parameter = 16;

  static bool fits(const Golomb& code) { return code.g <= most_parameter; }
  explicit NearGapTable(const Golomb& code);

  class Entry {
   public:
    Entry() = default;
    Entry(unsigned code_bits, unsigned advance, std::uint64_t pattern)
        : all_(code_bits | advance << 8 | pattern << 16) {}
    unsigned code_bits() const { return static_cast<unsigned>(all_ & 63); }
    unsigned advance() const { return static_cast<std::uint8_t>(all_ >> 8); }
    std::uint64_t pattern() const { return all_ >> 16; }  // `advance` bits from the lowest on

   private:
    std::uint64_t all_ = 0;
  };
  Entry at(std::uint64_t coded) const { return entries_[coded % entries_.size()]; }

 private:
  std::array<Entry, std::size_t{1} << window> entries_;
};

}  // namespace beckon::filters
