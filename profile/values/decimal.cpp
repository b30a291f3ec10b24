// SPDX-License-Identifier: MIT
#include "profile/values/decimal.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace beckon::profile {

namespace {

constexpr int max_digits = 18;  // 10^18 - 1 fits in 63 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads digits with at most one point; false if there is no digit or too many that count.
bool take_digits(std::string_view& rest, Decimal& number) {
  int significant = 0;
  int zeros = 0;  // seen but not yet counted: they matter only if a digit follows
  bool any = false;
  bool point = false;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    char c = rest.front();
    if (c == '.' && !point && rest.size() > 1 && is_digit(rest[1])) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (point) --number.exponent;
    if (c == '0') {
      if (significant > 0) ++zeros;
      continue;
    }
    significant += zeros + 1;
    if (significant > max_digits) return false;
    for (; zeros > 0; --zeros) number.coefficient *= 10;
    number.coefficient = number.coefficient * 10 + (c - '0');
  }
  number.exponent += zeros;
  return any;
}

bool take_exponent(std::string_view& rest, Decimal& number) {
  if (rest.empty() || (rest.front() != 'e' && rest.front() != 'E')) return true;
  rest.remove_prefix(1);
  if (!rest.empty() && rest.front() == '+') rest.remove_prefix(1);
  int exponent = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
  if (error != std::errc{} || exponent > 99 || exponent < -99) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  number.exponent += exponent;
  return true;
}

__extension__ using Wide = __int128;

/// False if it does not fit.
bool times_ten(Wide& value, int count) {
  constexpr Wide limit = Wide{1} << 123;  // times ten is less than 2^127
  for (; count > 0; --count) {
    if (value > limit || value < -limit) return false;
    value *= 10;
  }
  return true;
}

Wide divide(Wide value, Wide divisor, Rounding rounding) {
  Wide quotient = value / divisor;
  Wide rest = value % divisor;
  if (rest < 0) {  // to floor division
    --quotient;
    rest += divisor;
  }
  if (rest == 0 || rounding == Rounding::down) return quotient;
  if (rounding == Rounding::up) return quotient + 1;
  bool above_half = rest > divisor - rest;
  bool tie_to_odd = rest == divisor - rest && quotient % 2 != 0;
  return quotient + (above_half || tie_to_odd ? 1 : 0);
}

}  // namespace

Result<Decimal> parse_decimal(std::string_view text) {
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  Decimal number;
  bool good = take_digits(rest, number) && take_exponent(rest, number);
  if (good && (rest == "k" || rest == "M")) {
    number.exponent += rest == "k" ? 3 : 6;
    rest = {};
  }
  if (!good || !rest.empty()) {
    return invalid(
        fmt::format("'{}' is not a number (as 42, -1.5, 40k, 1.5M)", printable(text, 40)));
  }
  if (negative) number.coefficient = -number.coefficient;
  if (number.coefficient == 0) number.exponent = 0;
  return number;
}

Result<std::int64_t> to_fixed(const Decimal& number, int scale, Rounding rounding) {
  return to_fixed(number, {1, 0}, {1, 0}, scale, rounding);
}

Result<std::int64_t> to_fixed(const Decimal& number, const Decimal& times, const Decimal& by,
                              int scale, Rounding rounding) {
  constexpr int next_to_nothing = 30;  // whatever the digits are, less than half a unit is left
  Wide value = Wide{number.coefficient} * times.coefficient;
  Wide divisor = by.coefficient;
  int shift = number.exponent + times.exponent - by.exponent + scale;
  bool fits = times_ten(value, shift) && times_ten(divisor, std::min(-shift, next_to_nothing));
  Wide out = fits ? divide(value, divisor, rounding) : 0;
  if (!fits || out > std::numeric_limits<std::int64_t>::max() ||
      out < std::numeric_limits<std::int64_t>::min()) {
    return invalid("the number is too large");
  }
  return static_cast<std::int64_t>(out);
}

std::string fixed_text(std::int64_t fixed, int scale) {
  bool negative = fixed < 0;
  std::uint64_t magnitude =
      negative ? 0 - static_cast<std::uint64_t>(fixed) : static_cast<std::uint64_t>(fixed);
  std::string digits = std::to_string(magnitude);
  auto places = static_cast<std::size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  std::string fraction = digits.substr(digits.size() - places);
  digits.erase(digits.size() - places);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return (negative ? "-" : "") + digits + (fraction.empty() ? "" : "." + fraction);
}

}  // namespace beckon::profile
