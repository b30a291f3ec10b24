// SPDX-License-Identifier: MIT
#include "filters/go/go_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace beckon::filters {

namespace {

Result<void> check_grouping(const GoAttribute& attribute, const Grouping& grouping,
                            const char* what) {
  if (grouping.d == 0)
    return invalid(fmt::format("{} of '{}': d must be at least 1", what, attribute.name));
  if (grouping.s < 1 || grouping.s > attribute.k) {
    return invalid(fmt::format("{} of '{}': s must be 1..{}, got {}", what, attribute.name,
                               attribute.k, grouping.s));
  }
  return {};
}

Result<void> check_k(const std::string& whose, std::uint32_t k) {
  if (k >= 1 && k <= GoLayout::max_k) return {};
  return invalid(fmt::format("k of {} must be 1..{}, got {}", whose, GoLayout::max_k, k));
}

void fill_defaults(GoAttribute& attribute, std::uint32_t k) {
  if (attribute.k == 0) attribute.k = k;
  if (attribute.range.s == 0) attribute.range.s = attribute.k;
  if (attribute.point.s == 0) attribute.point.s = attribute.k;
}

Result<void> check_attribute(const GoAttribute& attribute) {
  if (attribute.name.size() > GoLayout::max_name) {
    return invalid(fmt::format("an attribute's name has at most {} bytes", GoLayout::max_name));
  }
  if (attribute.scope.lo > attribute.scope.hi) {
    return invalid(fmt::format("the scope {}..{} of '{}' is empty", attribute.scope.lo,
                               attribute.scope.hi, attribute.name));
  }
  if (auto ok = check_k("'" + attribute.name + "'", attribute.k); !ok) return ok;
  if (auto ok = check_grouping(attribute, attribute.range, "ranges"); !ok) return ok;
  return check_grouping(attribute, attribute.point, "points");
}

Result<void> check_duplicates(const std::vector<GoAttribute>& attributes) {
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      bool same_name = !attributes[i].name.empty() && attributes[i].name == attributes[j].name;
      if (same_name || attributes[i].seed == attributes[j].seed) {
        return invalid(fmt::format("the attribute '{}' occurs twice", attributes[i].name));
      }
    }
  }
  return {};
}

}  // namespace

std::uint64_t GroupRow::length() const {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return more > (most - k) / s ? most : more * s + k;
}

void GroupRow::positions(std::uint64_t from, const Modulus& m, std::span<std::uint32_t> out) const {
  group_positions(seed, kind, first + from / s, s, m, out);
}

Result<GoLayout> GoLayout::create(Spec spec) {
  if (spec.bits < min_bits || spec.bits > max_bits) {
    return invalid(fmt::format("a filter has {}..{} bits, got {}", min_bits, max_bits, spec.bits));
  }
  if (auto ok = check_k("the layout", spec.k); !ok) return ok.error();
  if (spec.attributes.size() > max_attributes) {
    return invalid(fmt::format("a layout has at most {} attributes", max_attributes));
  }
  for (GoAttribute& attribute : spec.attributes) {
    fill_defaults(attribute, spec.k);
    if (auto ok = check_attribute(attribute); !ok) return ok.error();
  }
  if (auto ok = check_duplicates(spec.attributes); !ok) return ok.error();
  return GoLayout(std::move(spec));
}

const GoAttribute* GoLayout::find(AttributeSeed seed) const {
  auto same = [seed](const GoAttribute& attribute) { return attribute.seed == seed; };
  auto found = std::find_if(spec_.attributes.begin(), spec_.attributes.end(), same);
  return found == spec_.attributes.end() ? nullptr : &*found;
}

GroupRow GoLayout::row(const GoAttribute& attribute, Kind kind, std::int64_t lo, std::int64_t hi) {
  ENSURE(lo <= hi && attribute.scope.contains(lo) && attribute.scope.contains(hi));
  ENSURE(kind != Kind::text);
  const Grouping& grouping = kind == Kind::point ? attribute.point : attribute.range;
  std::uint64_t first = attribute.scope.offset(lo) / grouping.d;
  std::uint64_t last = attribute.scope.offset(hi) / grouping.d;
  return {.seed = attribute.seed,
          .kind = kind,
          .first = first,
          .more = last - first,
          .k = attribute.k,
          .s = grouping.s};
}

bool GoLayout::operator==(const GoLayout& other) const {
  return bits() == other.bits() && k() == other.k() && attributes() == other.attributes();
}

}  // namespace beckon::filters
