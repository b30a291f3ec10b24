// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon::profile {

/// An exact decimal number, coefficient * 10^exponent. Binary floating point never touches a value:
/// 23.26214 must not become 23.262139999.
struct Decimal {
  std::int64_t coefficient{};
  int exponent{};
};

/// Where a number falls that has more digits than the schema keeps. Publishers round to the nearest
/// (ties to even); a query's bounds go outwards, or 23.26212.. would miss 23.26214 kept as 23.2621.
enum class Rounding : std::uint8_t { half_even, down, up };

/// [+-] digits [. digits] [e exponent] [k | M]; at most 18 significant digits.
Result<Decimal> parse_decimal(std::string_view text);

/// The number as a count of 10^-scale units.
Result<std::int64_t> to_fixed(const Decimal& number, int scale, Rounding rounding);
/// The same of number * times / by; these two are positive and have at most 8 digits.
Result<std::int64_t> to_fixed(const Decimal& number, const Decimal& times, const Decimal& by,
                              int scale, Rounding rounding);

/// The shortest text that parse_decimal and to_fixed bring back to `fixed`.
std::string fixed_text(std::int64_t fixed, int scale);

}  // namespace beckon::profile
