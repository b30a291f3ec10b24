// SPDX-License-Identifier: MIT
#include "filters/coding/near_gap_table.h"

namespace beckon::filters {

namespace {

using Entry = NearGapTable::Entry;

/// The first code in some bits: a one (part of a quotient, g zeros), or a zero and a rest.
Entry first_code(const Golomb& code, std::uint64_t bits) {
  if ((bits & 1) != 0) return {1, static_cast<unsigned>(code.g), 0};
  for (std::uint64_t rest = 0;; ++rest) {
    unsigned length = code.rest_bits(rest);
    if ((bits >> 1 & low_mask(length)) == code.rest_code(rest)) {
      return {1 + length, static_cast<unsigned>(rest) + 1, std::uint64_t{1} << rest};
    }
  }
}

}  // namespace

NearGapTable::NearGapTable(const Golomb& code) {
  // A zero and the longest rest; all that comes after does not change the first code.
  std::array<Entry, std::size_t{2} << std::bit_width(most_parameter)> firsts;
  std::uint64_t mask = low_mask(1 + code.width);
  for (std::uint64_t bits = 0; bits <= mask; ++bits) firsts[bits] = first_code(code, bits);
  // With w known bits: the first code, then what the bits after it stand for. `known[w]` starts at
  // 2^w - 1. Codes that do not end within the known bits stand for nothing yet.
  std::vector<Entry> known((std::size_t{2} << window) - 1);
  for (unsigned w = 1; w <= window; ++w) {
    std::size_t from = (std::size_t{1} << w) - 1;
    for (std::uint64_t bits = 0; bits <= low_mask(w); ++bits) {
      Entry first = firsts[bits & mask];
      unsigned left = w - first.code_bits();
      if (first.code_bits() > w) continue;
      Entry then = known[low_mask(left) + (bits >> first.code_bits())];
      bool fits = first.advance() + then.advance() <= most_advance;
      known[from + bits] =
          fits ? Entry(first.code_bits() + then.code_bits(), first.advance() + then.advance(),
                       first.pattern() | then.pattern() << first.advance())
               : first;
    }
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i] = known[entries_.size() - 1 + i];
}

}  // namespace beckon::filters
