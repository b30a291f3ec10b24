// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <algorithm>

#include "base/text.h"

namespace beckon {

namespace {

constexpr std::size_t max_value = 400;

bool plain(char c) {
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || std::string_view(".:-_/+[]*").find(c) < 9;
}

std::string value_text(const std::string& value) {
  std::string shown = printable(value, max_value);
  if (!shown.empty() && std::all_of(shown.begin(), shown.end(), plain)) return shown;
  std::string out = "\"";
  for (char c : shown) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

const char* to_text(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "info";
}

std::string to_text(const LogLine& line) {
  std::string out = printable(line.text);
  for (const LogField& field : line.fields) out += " " + field.name + "=" + value_text(field.value);
  return out;
}

}  // namespace beckon
