// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <fmt/core.h>

#include "base/bytes.h"

namespace beckon {

namespace {

std::size_t sequence_length(std::string_view rest) {
  auto c = static_cast<std::uint8_t>(rest[0]);
  std::size_t length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  return length <= rest.size() && is_utf8(rest.substr(0, length)) ? length : 0;
}

/// C0, DEL and C1 controls, and the bidirectional overrides that can make a line lie.
bool is_control(std::string_view sequence) {
  auto a = static_cast<std::uint8_t>(sequence[0]);
  if (sequence.size() == 1) return a < 0x20 || a == 0x7f;
  auto b = static_cast<std::uint8_t>(sequence[1]);
  if (sequence.size() == 2) return a == 0xc2 && b < 0xa0;
  if (sequence.size() != 3 || a != 0xe2) return false;
  auto c = static_cast<std::uint8_t>(sequence[2]);
  bool separators_and_overrides = b == 0x80 && c >= 0xa8 && c <= 0xae;
  bool isolates = b == 0x81 && c >= 0xa6 && c <= 0xa9;
  return separators_and_overrides || isolates;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (out.size() >= limit) return out + "…";
    std::size_t length = sequence_length(text.substr(i));
    std::string_view sequence = text.substr(i, length == 0 ? 1 : length);
    if (length == 0 || is_control(sequence)) {
      for (char c : sequence) out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
    } else {
      out += sequence;
    }
    i += sequence.size();
  }
  return out;
}

}  // namespace beckon
