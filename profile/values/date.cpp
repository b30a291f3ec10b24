// SPDX-License-Identifier: MIT
#include "profile/values/date.h"

#include <fmt/core.h>

#include <charconv>
#include <chrono>

#include "base/text.h"

namespace beckon::profile {

namespace {

namespace chrono = std::chrono;

/// Exactly `digits` decimal digits, or -1.
int take_number(std::string_view& rest, std::size_t digits) {
  if (rest.size() < digits) return -1;
  int value = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + digits, value);
  if (error != std::errc{} || end != rest.data() + digits || value < 0 || rest[0] == '-') return -1;
  rest.remove_prefix(digits);
  return value;
}

int take_part(std::string_view& rest) {
  if (rest.empty() || rest.front() != '-') return -1;
  rest.remove_prefix(1);
  return take_number(rest, 2);
}

std::int64_t day_number(const chrono::year_month_day& date) {
  return chrono::sys_days(date).time_since_epoch().count();
}

chrono::year_month_day civil(std::int64_t day) { return chrono::sys_days(chrono::days(day)); }

}  // namespace

Result<DaySpan> parse_date(std::string_view text) {
  Error wrong = invalid(
      fmt::format("'{}' is not a date (as 2026-05-01, 2026-05 or 2026)", printable(text, 40)));
  std::string_view rest = text;
  int year = take_number(rest, 4);
  if (year < 1) return wrong;
  chrono::year y(year);
  if (rest.empty()) return DaySpan{day_number(y / 1 / 1), day_number(y / 12 / 31)};
  int month = take_part(rest);
  if (month < 1 || month > 12) return wrong;
  auto m = y / chrono::month(static_cast<unsigned>(month));
  if (rest.empty()) return DaySpan{day_number(m / 1), day_number(m / chrono::last)};
  int day = take_part(rest);
  chrono::year_month_day date = m / chrono::day(static_cast<unsigned>(day < 1 ? 0 : day));
  if (!rest.empty() || !date.ok()) return wrong;
  return DaySpan{day_number(date), day_number(date)};
}

std::string date_text(std::int64_t day) {
  chrono::year_month_day date = civil(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::int64_t years_between(std::int64_t birth, std::int64_t today) {
  chrono::year_month_day from = civil(birth);
  chrono::year_month_day to = civil(today);
  int years = static_cast<int>(to.year()) - static_cast<int>(from.year());
  bool before_birthday =
      to.month() < from.month() || (to.month() == from.month() && to.day() < from.day());
  return years - (before_birthday ? 1 : 0);
}

}  // namespace beckon::profile
