// SPDX-License-Identifier: MIT
#include "profile/person/value.h"

#include <fmt/core.h>

#include "base/text.h"
#include "profile/person/hybrid.h"
#include "profile/values/date.h"
#include "profile/values/decimal.h"
#include "profile/values/ip.h"
#include "profile/values/text_fold.h"
#include "profile/values/unit.h"

namespace beckon::profile {

namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

std::int64_t ip_number(IpFamily family, std::uint64_t address) {
  return static_cast<std::int64_t>(family == IpFamily::v6 ? address ^ sign_bit : address);
}

std::uint64_t ip_address(const Value& value, std::int64_t number) {
  auto address = static_cast<std::uint64_t>(number);
  return value.text == "v6" ? address ^ sign_bit : address;
}

std::string bound_text(const Attribute& a, std::int64_t v) {
  return a.type == Type::date ? date_text(v) : fixed_text(v, a.scale);
}

std::string scope_text(const Attribute& a) {
  return bound_text(a, a.min) + ".." + bound_text(a, a.max);
}

/// A number in another unit than the attribute's. Where it falls between two values it is both of
/// them, on either side.
Result<Interval> parse_measure(const Attribute& a, const Measured& text) {
  const Unit& own = *unit_named(a.unit);
  const Unit* from = unit_named(text.unit);
  if (from == nullptr || from->kind != own.kind)
    return invalid(fmt::format("'{}' is no unit of {}; write it in {}", printable(text.unit, 20),
                               a.name, a.unit));
  auto number = parse_decimal(text.number);
  if (!number) return number.error();
  auto lo = convert(*number, *from, own, a.scale, Rounding::down);
  if (!lo) return lo.error();
  auto hi = convert(*number, *from, own, a.scale, Rounding::up);
  if (!hi) return hi.error();
  return Interval{*lo, *hi};
}

/// One side of a range, as the first and last unit it may mean.
Result<Interval> parse_bound(const Attribute& a, std::string_view text, std::string_view unit,
                             Side side) {
  if (a.type == Type::date) {
    auto span = parse_date(text);
    if (!span) return span.error();
    return Interval{span->first, span->last};
  }
  Measured measured = a.unit.empty() ? Measured{text} : split_unit(text);
  if (measured.unit.empty() && !a.unit.empty()) measured.unit = unit;
  if (!measured.unit.empty() && measured.unit != a.unit) return parse_measure(a, measured);
  auto number = parse_decimal(measured.number);
  if (!number) return number.error();
  auto lo =
      to_fixed(*number, a.scale, side == Side::publish ? Rounding::half_even : Rounding::down);
  if (!lo) return lo.error();
  if (side == Side::publish) return Interval{*lo, *lo};
  auto hi = to_fixed(*number, a.scale, Rounding::up);
  if (!hi) return hi.error();
  return Interval{*lo, *hi};
}

/// "20-30" where a range is wanted: the most common slip, worth its own sentence.
bool looks_like_dashed_range(const Attribute& a, std::string_view text) {
  std::size_t dash = text.find('-', 1);
  if (a.type == Type::date || dash == std::string_view::npos) return false;
  return parse_decimal(text.substr(0, dash)).has_value() &&
         parse_decimal(text.substr(dash + 1)).has_value();
}

/// Brings an interval into the scope of a circular attribute, whose end (180, 24) is its start
/// again.
Result<Interval> into_circle(const Attribute& a, Interval v) {
  if (v.lo <= v.hi && v.hi - v.lo >= a.max - a.min) return Interval{a.min, a.max};
  if (v.lo == v.hi + 1) return Interval{a.min, a.max};  // all the way round
  if (v.lo == a.max + 1) v.lo = a.min;
  if (v.hi == a.max + 1) v.hi = a.min;
  bool inside = v.lo >= a.min && v.lo <= a.max && v.hi >= a.min && v.hi <= a.max;
  if (!inside) return invalid(fmt::format("{} lies in {}", a.name, scope_text(a)));
  return v;
}

Result<Interval> into_scope(const Attribute& a, Interval v, Side side) {
  if (a.circular) return into_circle(a, v);
  if (v.lo > v.hi) {
    return invalid(fmt::format("the range ends before it starts; write {}..{}", bound_text(a, v.hi),
                               bound_text(a, v.lo)));
  }
  bool inside = v.lo >= a.min && v.hi <= a.max;
  bool touches = v.hi >= a.min && v.lo <= a.max;
  if (!touches || (side == Side::publish && !inside)) {
    return invalid(fmt::format("{} lies in {}", a.name, scope_text(a)));
  }
  return Interval{std::max(v.lo, a.min), std::min(v.hi, a.max)};
}

Result<Interval> parse_number(const Attribute& a, std::string_view text, Side side) {
  if (looks_like_dashed_range(a, text)) {
    std::size_t dash = text.find('-', 1);
    return invalid(
        fmt::format("a range is written {}..{}", text.substr(0, dash), text.substr(dash + 1)));
  }
  std::size_t dots = text.find("..");
  std::string_view first = text.substr(0, dots);
  std::string_view last = dots == std::string_view::npos ? first : text.substr(dots + 2);
  if (first.empty() && last.empty()) {
    return invalid(
        fmt::format("the range has no end; to ask for anybody who has one write has={}", a.name));
  }
  std::string_view unit = split_unit(last).unit;  // 1.7..1.8m: of both
  auto lo =
      first.empty() ? Result<Interval>(Interval{a.min, a.min}) : parse_bound(a, first, unit, side);
  if (!lo) return lo.error();
  auto hi =
      last.empty() ? Result<Interval>(Interval{a.max, a.max}) : parse_bound(a, last, unit, side);
  if (!hi) return hi.error();
  return into_scope(a, {lo->lo, hi->hi}, side);
}

Result<Value> parse_text(std::string_view text) {
  auto folded = fold_text(text);
  if (!folded) return folded.error();
  return Value{.text = std::move(*folded)};
}

Result<Value> parse_ip_value(std::string_view text) {
  auto range = parse_ip(text);
  if (!range) return range.error();
  Interval number{ip_number(range->family, range->first), ip_number(range->family, range->last)};
  return Value{.text = range->family == IpFamily::v4 ? "v4" : "v6", .number = number};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A number if it reads as one, as written or once folded (so that "１２" cannot be text here and a
/// number when it is read again), else text.
Result<Value> parse_any(const Attribute& a, std::string_view text, Side side) {
  if (auto number = parse_number(a, trimmed(text), side)) return Value{.number = *number};
  auto folded = parse_text(text);
  if (!folded) return folded;
  auto number = parse_number(a, folded->text, side);
  return number ? Result<Value>(Value{.number = *number}) : folded;
}

Result<Value> parse_by_type(const Attribute& a, std::string_view text, Side side) {
  switch (a.type) {
    case Type::text:
      return parse_text(text);
    case Type::hybrid:
      return parse_hybrid(text, side);
    case Type::ip:
      return parse_ip_value(trimmed(text));
    case Type::any:
      return parse_any(a, text, side);
    default:
      break;
  }
  auto number = parse_number(a, trimmed(text), side);
  if (!number) return number.error();
  return Value{.number = *number};
}

}  // namespace

Result<Value> parse_value(const Attribute& attribute, std::string_view text, Side side) {
  if (text.size() > max_text_size) {
    return invalid(
        fmt::format("the value has {} bytes, at most {} are allowed", text.size(), max_text_size));
  }
  auto value = parse_by_type(attribute, text, side);
  if (value && side == Side::publish) value->shown = trimmed(text);
  return value;
}

std::string value_text(const Attribute& attribute, const Value& value) {
  if (attribute.type == Type::hybrid) return hybrid_text(value);
  if (!value.number) return value.text;
  if (attribute.type == Type::ip) {
    return ip_text({value.text == "v4" ? IpFamily::v4 : IpFamily::v6,
                    ip_address(value, value.number->lo), ip_address(value, value.number->hi)});
  }
  std::string out = bound_text(attribute, value.number->lo);
  if (!value.number->is_point()) out += ".." + bound_text(attribute, value.number->hi);
  return out;
}

NumberSpace number_space(const Attribute& attribute, std::string_view name, const Value& value) {
  NumberSpace space{std::string(name), attribute.min, attribute.max, attribute.circular,
                    attribute.ladder};
  if (!value.text.empty()) space.name += "|" + value.text;
  if (attribute.type == Type::ip && value.text == "v4") space.max = 0xffffffff;
  if (attribute.type == Type::ip && value.text == "v6") {
    space.min = INT64_MIN;
    space.max = INT64_MAX;
    for (std::uint64_t& width : space.ladder)
      width = width << 24;  // /40, /32, /24 for the default /24, /16, /8
  }
  return space;
}

std::vector<Interval> pieces(const Attribute& attribute, const Interval& interval) {
  if (interval.lo <= interval.hi) return {interval};
  return {{attribute.min, interval.hi}, {interval.lo, attribute.max}};
}

}  // namespace beckon::profile
