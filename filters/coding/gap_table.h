// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "filters/coding/golomb.h"

namespace beckon::filters {

/// What the next `window` bits of Golomb-coded gaps stand for, as bits of the array that is read.
/// The ones of a quotient count as codes of their own (g zeros each), so that every entry uses up
/// some bits whatever they are.
class GapTable {
 public:
  static constexpr unsigned window = 11;
  static constexpr std::uint64_t most_parameter = 512;  // then a zero and a rest fit the window

  static bool fits(const Golomb& code) { return code.g <= most_parameter; }
  explicit GapTable(const Golomb& code);

  /// First `skip` zeros, then `pattern` from its lowest bit on, `advance` bits in all.
  class Entry {
   public:
    Entry() = default;
    Entry(unsigned code_bits, std::uint64_t skip, std::uint64_t advance, std::uint32_t pattern)
        : all_(code_bits | skip << 6 | advance << 19 | std::uint64_t{pattern} << 32) {}
    unsigned code_bits() const { return static_cast<unsigned>(all_ & 63); }
    std::uint64_t skip() const { return all_ >> 6 & 8191; }
    std::uint64_t advance() const { return all_ >> 19 & 8191; }
    std::uint64_t pattern() const { return all_ >> 32; }

   private:
    std::uint64_t all_ = 0;
  };
  Entry at(std::uint64_t coded) const { return entries_[coded % entries_.size()]; }
  /// More bits of the array than any entry tells about.
  std::uint64_t reach() const { return (window + 1) * code_.g; }

 private:
  /// Some whole codes from the start of the window.
  struct Codes {
    std::uint32_t bits = 0;  // of the codes, `length` of them
    unsigned length = 0;
    std::uint64_t zeros = 0;  // before the first one
    std::uint64_t advance = 0;
    std::uint32_t pattern = 0;
  };
  void add(const Codes& codes);

  Golomb code_;
  std::array<Entry, std::size_t{1} << window> entries_{};
};

}  // namespace beckon::filters
