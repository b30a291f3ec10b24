// SPDX-License-Identifier: MIT
#include "base/fields.h"

#include <algorithm>

namespace beckon {

bool fits(Content content, ByteView bytes) {
  if (content == Content::bytes) return true;
  if (content == Content::text) return is_utf8(as_text(bytes));
  return std::ranges::all_of(bytes, [](std::uint8_t c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace beckon
