// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "profile/values/decimal.h"

namespace beckon::profile {

/// A measure that values may be written in. Factors are exact decimals of the kind's first unit.
struct Unit {
  std::string_view name{};
  std::string_view kind{};  // "length": units of one kind convert into each other
  Decimal factor{};
};

const Unit* unit_named(std::string_view name);  // nullptr: none of ours

/// "1.8 m" is 1.8 and m; k and M are multiples, not units, and stay with the number.
struct Measured {
  std::string_view number{};
  std::string_view unit{};  // empty: none written
};
Measured split_unit(std::string_view text);

/// The number, measured in `from`, as a count of 10^-scale of `to`.
Result<std::int64_t> convert(const Decimal& number, const Unit& from, const Unit& to, int scale,
                             Rounding rounding);

}  // namespace beckon::profile
