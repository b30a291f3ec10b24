// SPDX-License-Identifier: MIT
#include "base/fields.h"

#include <algorithm>
#include <bit>

namespace beckon {

bool fits(Content content, ByteView bytes) {
  if (content == Content::bytes) return true;
  if (content == Content::text) return is_utf8(as_text(bytes));
  return std::ranges::all_of(bytes, [](std::uint8_t c) { return c > 0x20 && c < 0x7f; });
}

const char* unknown_critical(std::uint8_t bits, std::uint8_t known) {
  static constexpr std::array<const char*, 4> names{
      "flag bit 0, critical and not known here", "flag bit 1, critical and not known here",
      "flag bit 2, critical and not known here", "flag bit 3, critical and not known here"};
  unsigned unknown = bits & critical_bits & ~unsigned{known};
  return unknown == 0 ? nullptr : names[static_cast<std::size_t>(std::countr_zero(unknown))];
}

}  // namespace beckon
