// SPDX-License-Identifier: MIT
#include "base/duration.h"

#include <fmt/core.h>

#include <array>
#include <charconv>

namespace beckon {

namespace {

struct Unit {
  std::string_view name{};
  std::int64_t micros{};
};
constexpr std::array units = {
    Unit{"d", 86'400'000'000}, Unit{"h", 3'600'000'000}, Unit{"m", 60'000'000},
    Unit{"s", 1'000'000},      Unit{"ms", 1'000},        Unit{"us", 1},
};
constexpr double longest = 366.0 * 86'400'000'000.0;

Error unreadable(std::string_view text) {
  return invalid(
      fmt::format("a length of time is written 250ms, 5s, 2m or 1h, got '{}'", text.substr(0, 40)));
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  auto [rest, problem] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (problem != std::errc{} || !(number >= 0)) return unreadable(text);
  std::string_view name(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    double micros = number * static_cast<double>(unit.micros);
    if (micros > longest) return invalid("a length of time is at most 366 days");
    return Duration(static_cast<std::int64_t>(micros + 0.5));
  }
  return unreadable(text);
}

std::string to_text(Duration duration) {
  for (const Unit& unit : units) {
    if (duration.count() != 0 && duration.count() % unit.micros == 0) {
      return fmt::format("{}{}", duration.count() / unit.micros, unit.name);
    }
  }
  return "0s";
}

}  // namespace beckon
