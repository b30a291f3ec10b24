// SPDX-License-Identifier: MIT
#include "tests/profile/person/people.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>

#include "profile/language/query_text.h"

namespace beckon::profile::test {

namespace {

const Schema& schema = Schema::built_in();

const std::vector<std::string> words{"chess",  "go",   "kendo",     "Café", "ice skating",
                                     "taipei", "臺北", "Alice Lin", "bo",   "x"};
const std::vector<std::string> rooms{"EC-", "ED-", "CS", "Lab ", ""};

std::string word(Rng& rng) { return words[rng.below(words.size())]; }

std::string number(const Attribute& a, std::int64_t v) {
  Value value{.number = Interval{v, v}};
  return value_text(a, value);
}

std::string range(const Attribute& a, Rng& rng, std::int64_t around) {
  std::int64_t size = rng.chance(0.4) ? 0 : std::int64_t{1} << rng.below(24);
  size = std::min(size, a.max - a.min);
  std::int64_t lo = around - (size == 0 ? rng.between(-1, 1) : rng.between(0, size));
  lo = std::clamp(lo, a.min, a.max - size);
  if (a.circular && rng.chance(0.3) && size > 0) lo = a.max - rng.between(0, size - 1);
  std::int64_t hi = lo + size;
  if (hi > a.max) hi -= a.max - a.min + 1;
  return size == 0 ? number(a, lo) : number(a, lo) + ".." + number(a, hi);
}

std::string address(Rng& rng) {
  if (rng.chance(0.2)) return fmt::format("2001:db8:{:x}::/{}", rng.below(4), 40 + rng.below(25));
  return fmt::format("10.{}.{}.{}/{}", rng.below(2), rng.below(4), rng.below(256),
                     rng.chance(0.5) ? 32 : rng.below(33));
}

std::string hybrid(Rng& rng) {
  std::string room = rooms[rng.below(rooms.size())];
  auto n = rng.below(400);
  if (rng.chance(0.1)) return "Lobby";
  if (rng.chance(0.5)) return room + std::to_string(n);
  return fmt::format("{}{}..{}", room, n, n + rng.below(60));
}

std::string value_for(const Attribute& a, Rng& rng, std::optional<std::int64_t> near = {}) {
  switch (a.type) {
    case Type::text:
      return word(rng);
    case Type::hybrid:
      return hybrid(rng);
    case Type::ip:
      return address(rng);
    case Type::any:
      return rng.chance(0.5) ? word(rng) : std::to_string(rng.below(100));
    default:
      break;
  }
  std::int64_t centre = a.max / 2 + a.min / 2;
  std::int64_t around =
      near.value_or(rng.between(centre - (a.max - a.min) / 8, centre + (a.max - a.min) / 8));
  return range(a, rng, around);
}

std::string some_name(Rng& rng) {
  std::size_t pick = rng.below(schema.attributes().size() + 2);
  return pick < schema.attributes().size() ? schema.attributes()[pick].name
                                           : fmt::format("x-{}", pick % 2);
}

}  // namespace

Profile random_person(Rng& rng) {
  Profile profile;
  auto set = [&](const std::string& name) {
    const Attribute& a = schema.at(*schema.slot(name));
    std::vector<std::string> values;
    for (std::uint64_t i = 0; i <= rng.below(std::min<std::uint64_t>(3, a.max_values)); ++i)
      values.push_back(value_for(a, rng));
    auto done = profile.set(schema, name, values);
    INFO(name << " " << values[0]);
    if (!done) FAIL(done.error().text);
  };
  for (const Attribute& a : schema.attributes()) {
    if (rng.chance(0.5)) set(a.name);
  }
  for (const char* own : {"x-0", "x-1"}) {
    if (rng.chance(0.3)) set(own);
  }
  if (rng.chance(0.2))
    (void)profile.set_visibility(schema, some_name(rng), Visibility::hidden).has_value();
  return profile;
}

Term random_term(Rng& rng, const Profile& profile) {
  std::string name = some_name(rng);
  if (!profile.attributes().empty() && rng.chance(0.8)) {
    auto at = profile.attributes().begin();
    std::advance(at, static_cast<std::ptrdiff_t>(rng.below(profile.attributes().size())));
    name = at->first;
  }
  const Attribute& a = schema.at(*schema.slot(name));
  auto values = profile.values(name);
  std::string text;
  for (std::uint64_t i = 0; i <= rng.below(3); ++i) {
    std::optional<std::int64_t> near;
    if (!values.empty() && values[0].number) near = values[0].number->lo;
    std::string item = value_for(a, rng, near);
    if (!values.empty() && rng.chance(0.5)) item = value_text(a, values[rng.below(values.size())]);
    text += (i > 0 ? ",\"" : "\"") + item + "\"";
  }
  std::uint64_t pick = rng.below(10);
  std::string op = pick < 6 ? "=" : pick < 8 ? ":=" : "!=";
  bool texty = a.type == Type::text || a.type == Type::hybrid || a.type == Type::any;
  if (pick == 9 && texty) op = "~=";
  std::string whole = name + op + text;
  if (rng.chance(0.08)) whole = "has=" + name;
  if (rng.chance(0.08)) {
    auto axis = profile.values("latitude");
    whole = fmt::format(
        "near={},{},{}m",
        axis.empty() ? "0" : number(schema.at(*schema.latitude()), axis[0].number->lo),
        profile.values("longitude").empty()
            ? "0"
            : number(schema.at(*schema.longitude()), profile.values("longitude")[0].number->lo),
        1 + rng.below(std::uint64_t{1} << rng.below(22)));
  }
  auto query = parse_query(schema, whole + " age=1..120");
  if (!query) FAIL(query.error().text);
  Branch& branch = query->branches[0];
  for (Term& term : branch) {
    if (canonical(schema, term) != "age=1..120") return term;
  }
  return branch[0];
}

Branch random_branch(Rng& rng, const Profile& profile) {
  Branch branch;
  for (std::uint64_t i = 0; i <= rng.below(rng.chance(0.5) ? 2 : 5); ++i)
    branch.push_back(random_term(rng, profile));
  return branch;
}

}  // namespace beckon::profile::test
