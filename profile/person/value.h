// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/schema/schema.h"

namespace beckon::profile {

/// All values from lo to hi, both included. lo > hi only on circular attributes: it runs over the
/// scope's end.
struct Interval {
  std::int64_t lo{};
  std::int64_t hi{};
  bool is_point() const { return lo == hi; }
  friend auto operator<=>(const Interval&, const Interval&) = default;
};

/// One value of a profile, or one item of a query: a text part, a number part, or both.
///   text            text "chess"
///   int, decimal,
///   date            number, in the attribute's units
///   hybrid          text is the template with # for the number: "ec-#" and 300..399; a query's
///                   "ec-*" is the template alone, "lobby" has no number
///   ip              text "v4" or "v6", number the address (IPv6: its upper 64 bits, moved by 2^63)
struct Value {
  std::string text{};
  std::optional<Interval> number{};
  std::string shown{};  // a profile's text as its owner wrote it; not compared

  friend bool operator==(const Value& a, const Value& b) {
    return a.text == b.text && a.number == b.number;
  }
  friend auto operator<=>(const Value& a, const Value& b) {
    if (auto order = a.text <=> b.text; order != 0) return order;
    return a.number <=> b.number;
  }
};

/// Publishers round to the nearest unit; a query's bounds go outwards, and a query may say "ec-*".
enum class Side : std::uint8_t { publish, query };

/// Reads one value as the schema wants it. Refuses what lies outside the scope (a query's range is
/// cut to it), a range that ends before it starts, and texts that fold_text refuses.
Result<Value> parse_value(const Attribute& attribute, std::string_view text, Side side);

/// The canonical spelling, which parse_value reads back. Texts are folded.
std::string value_text(const Attribute& attribute, const Value& value);

/// The numbers that can be compared with each other: those of one attribute and one template.
struct NumberSpace {
  std::string name{};  // "age", "room|ec-#", "ip|v4": what is hashed into keys and filters
  std::int64_t min{};
  std::int64_t max{};
  bool circular = false;
  std::vector<std::uint64_t> ladder{};

  std::uint64_t last() const { return offset(max); }  // one less than the number of values
  std::uint64_t offset(std::int64_t v) const {
    return static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(min);
  }
};

NumberSpace number_space(const Attribute& attribute, std::string_view name, const Value& value);

/// The interval as one or two that do not wrap, in order of their lower ends.
std::vector<Interval> pieces(const Attribute& attribute, const Interval& interval);

}  // namespace beckon::profile
