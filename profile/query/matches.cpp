// SPDX-License-Identifier: MIT
#include "profile/query/matches.h"

#include <algorithm>

#include "profile/query/geo.h"

namespace beckon::profile {

namespace {

bool equal(const Attribute& attribute, const Value& value, const Value& item) {
  if (value.text != item.text) return false;
  if (!item.number)
    return attribute.type == Type::hybrid || !value.number;  // "ec-*" takes any number
  return value.number && overlaps(attribute, *value.number, *item.number);
}

bool covered(const Attribute& attribute, const Value& value, const Value& item) {
  if (!value.number || !item.number) return equal(attribute, value, item);
  return value.text == item.text && covers(attribute, *value.number, *item.number);
}

bool starts(const Attribute& attribute, const Value& value, const Value& item) {
  return value_text(attribute, value).starts_with(item.text);
}

bool holds_near(const Schema& schema, const Profile& profile, const Near& near) {
  auto latitudes = profile.searchable(schema, schema.at(*schema.latitude()).name);
  auto longitudes = profile.searchable(schema, schema.at(*schema.longitude()).name);
  if (latitudes.empty() || longitudes.empty()) return false;
  return is_near(schema, near, *latitudes[0].number, *longitudes[0].number);
}

bool holds(const Schema& schema, const Profile& profile, const Term& term) {
  if (term.op == Op::near) return holds_near(schema, profile, term.near);
  const Attribute& attribute = schema.at(term.slot);
  auto values = profile.searchable(schema, term.attr);
  auto some_value = [&](auto&& test) { return std::any_of(values.begin(), values.end(), test); };
  auto is_in = [&](const Value& v) {
    return std::any_of(term.items.begin(), term.items.end(),
                       [&](const Value& i) { return equal(attribute, v, i); });
  };
  auto starts_one = [&](const Value& v) {
    return std::any_of(term.items.begin(), term.items.end(),
                       [&](const Value& i) { return starts(attribute, v, i); });
  };
  auto is_covered = [&](const Value& i) {
    return some_value([&](const Value& v) { return covered(attribute, v, i); });
  };
  switch (term.op) {
    case Op::equal:
      return some_value(is_in);
    case Op::covers:
      return std::all_of(term.items.begin(), term.items.end(), is_covered);
    case Op::starts:
      return some_value(starts_one);
    default:
      return !values.empty();
  }
}

}  // namespace

bool overlaps(const Attribute& attribute, const Interval& a, const Interval& b) {
  for (const Interval& x : pieces(attribute, a)) {
    for (const Interval& y : pieces(attribute, b)) {
      if (x.lo <= y.hi && y.lo <= x.hi) return true;
    }
  }
  return false;
}

bool covers(const Attribute& attribute, const Interval& outer, const Interval& inner) {
  auto outers = pieces(attribute, outer);
  auto inside_one = [&](const Interval& x) {
    return std::any_of(outers.begin(), outers.end(),
                       [&](const Interval& o) { return o.lo <= x.lo && x.hi <= o.hi; });
  };
  auto inners = pieces(attribute, inner);
  return std::all_of(inners.begin(), inners.end(), inside_one);
}

bool matches(const Schema& schema, const Profile& profile, const Term& term) {
  return holds(schema, profile, term) != term.negated;
}

bool matches(const Schema& schema, const Profile& profile, const Query& query) {
  return std::any_of(query.branches.begin(), query.branches.end(), [&](const Branch& branch) {
    return std::all_of(branch.begin(), branch.end(),
                       [&](const Term& t) { return matches(schema, profile, t); });
  });
}

}  // namespace beckon::profile
