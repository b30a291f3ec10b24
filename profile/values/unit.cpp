// SPDX-License-Identifier: MIT
#include "profile/values/unit.h"

#include <algorithm>
#include <array>

namespace beckon::profile {

namespace {

constexpr std::array units{
    Unit{"m", "length", {1, 0}},         Unit{"mm", "length", {1, -3}},
    Unit{"cm", "length", {1, -2}},       Unit{"km", "length", {1, 3}},
    Unit{"in", "length", {254, -4}},     Unit{"ft", "length", {3048, -4}},
    Unit{"mi", "length", {1609344, -3}}, Unit{"kg", "mass", {1, 0}},
    Unit{"g", "mass", {1, -3}},          Unit{"t", "mass", {1, 3}},
    Unit{"lb", "mass", {45359237, -8}},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

const Unit* unit_named(std::string_view name) {
  auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  return found == units.end() ? nullptr : &*found;
}

Measured split_unit(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && is_letter(text[end - 1])) --end;
  std::string_view letters = text.substr(end);
  if (letters.empty() || letters == "k" || letters == "M") return {text, {}};
  std::string_view number = text.substr(0, end);
  while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
  return {number, letters};
}

Result<std::int64_t> convert(const Decimal& number, const Unit& from, const Unit& to, int scale,
                             Rounding rounding) {
  return to_fixed(number, from.factor, to.factor, scale, rounding);
}

}  // namespace beckon::profile
