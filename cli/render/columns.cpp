// SPDX-License-Identifier: MIT
#include "cli/render/columns.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>

namespace beckon::cli {

namespace {

std::size_t columns_of(UChar32 c) {
  switch (u_charType(c)) {
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_FORMAT_CHAR:
      return c == 0x00ad ? 1 : 0;  // terminals show the soft hyphen
    default:
      break;
  }
  if (c >= 0x1160 && c <= 0x11ff) return 0;  // vowels and finals of Hangul join the letter before
  auto width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

/// Takes the first letter off; what is not UTF-8 counts byte by byte.
UChar32 take_letter(std::string_view& text) {
  std::size_t at = 0;
  UChar32 c = 0;
  auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  U8_NEXT_OR_FFFD(bytes, at, text.size(), c);
  text.remove_prefix(at);
  return c;
}

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t out = 0;
  while (!text.empty()) out += columns_of(take_letter(text));
  return out;
}

std::string cut_to(std::string_view text, std::size_t limit) {
  constexpr std::string_view dots = "...";
  if (columns(text) <= limit) return std::string(text);
  std::size_t room = limit > dots.size() ? limit - dots.size() : 0;
  std::string_view rest = text;
  std::size_t end = 0;
  for (std::size_t used = 0; !rest.empty();) {
    used += columns_of(take_letter(rest));
    if (used > room) break;
    end = text.size() - rest.size();
  }
  return std::string(text.substr(0, end)) + std::string(dots);
}

}  // namespace beckon::cli
