// SPDX-License-Identifier: MIT
#include "profile/language/query_problem.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "base/text.h"

namespace beckon::profile {

namespace {

constexpr std::size_t max_shown = 200;  // bytes of the query; a longer one is not drawn

/// Columns a terminal uses for the text.
std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  int32_t i = 0;
  auto size = static_cast<int32_t>(text.size());
  while (i < size) {
    UChar32 c = 0;
    U8_NEXT_OR_FFFD(reinterpret_cast<const uint8_t*>(text.data()), i, size, c);
    int kind = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
    if (u_charType(c) == U_NON_SPACING_MARK) continue;
    width += kind == U_EA_FULLWIDTH || kind == U_EA_WIDE ? 2 : 1;
  }
  return width;
}

}  // namespace

std::string picture(std::string_view text, const std::vector<Problem>& problems) {
  std::string out;
  bool draw = text.size() <= max_shown;
  if (draw) out = "  " + printable(text);
  for (const Problem& problem : problems) {
    std::size_t offset = std::min(problem.offset, text.size());
    std::size_t size = std::min(problem.size, text.size() - offset);
    if (!out.empty()) out += '\n';
    out += "  ";
    if (draw) {
      out += std::string(width_of(printable(text.substr(0, offset))), ' ');
      out += std::string(std::max<std::size_t>(1, width_of(printable(text.substr(offset, size)))),
                         '^') +
             ' ';
    } else {
      out += "at byte " + std::to_string(offset + 1) + ": ";
    }
    out += problem.text;
  }
  return out;
}

}  // namespace beckon::profile
