// SPDX-License-Identifier: MIT
#include "filters/coding/gap_table.h"

namespace beckon::filters {

GapTable::GapTable(const Golomb& code) : code_(code) { add({}); }

/// Writes the entry wherever these codes stand at the start of the window, unless a longer list of
/// codes will overwrite every such place; those that follow overwrite their part.
void GapTable::add(const Codes& codes) {
  std::uint64_t farthest = codes.advance + code_.g - codes.zeros;
  bool all_fit = codes.length + 1 + code_.width <= window && (codes.pattern == 0 || farthest <= 32);
  if (!all_fit) {
    std::uint64_t skip = codes.pattern == 0 ? codes.advance : codes.zeros;
    Entry entry(codes.length, skip, codes.advance, codes.pattern);
    for (std::size_t i = codes.bits; i < entries_.size(); i += std::size_t{1} << codes.length) {
      entries_[i] = entry;
    }
  }
  if (codes.length == window) return;
  Codes next = codes;
  next.bits |= 1U << codes.length;
  ++next.length;
  next.advance += code_.g;
  add(next);
  for (std::uint64_t rest = 0; rest < code_.g; ++rest) {
    unsigned length = codes.length + 1 + code_.rest_bits(rest);
    std::uint64_t one_at = codes.advance + rest;
    std::uint64_t in_pattern = codes.pattern == 0 ? 0 : one_at - codes.zeros;
    if (length > window || in_pattern >= 32) break;  // rests only grow
    next = {.bits = codes.bits |
                    static_cast<std::uint32_t>(code_.rest_code(rest) << (codes.length + 1)),
            .length = length,
            .zeros = codes.pattern == 0 ? one_at : codes.zeros,
            .advance = one_at + 1,
            .pattern = codes.pattern | 1U << in_pattern};
    add(next);
  }
}

}  // namespace beckon::filters
