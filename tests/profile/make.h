// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "profile/language/query_text.h"
#include "profile/person/profile.h"

namespace beckon::profile::test {

/// A profile of the built-in schema from "attr=value" texts; the same attribute again adds a value.
inline Profile person(std::initializer_list<std::string> settings) {
  Profile profile;
  for (const std::string& setting : settings) {
    std::size_t cut = setting.find('=');
    std::string name = setting.substr(0, cut);
    std::vector<std::string> values;
    for (const Value& v : profile.values(name)) values.push_back(v.shown);
    values.push_back(setting.substr(cut + 1));
    auto set = profile.set(Schema::built_in(), name, values);
    INFO(setting);
    REQUIRE(set.has_value());
  }
  return profile;
}

inline Query query(const std::string& text) {
  auto parsed = parse_query(Schema::built_in(), text);
  INFO(text);
  if (!parsed) FAIL(parsed.error().text);
  return *parsed;
}

/// The first problem's text, or "" if the query is good.
inline std::string problem(const std::string& text) {
  auto reading = read_query(Schema::built_in(), text);
  return reading.query ? "" : reading.problems.at(0).text;
}

inline std::string canonical_of(const std::string& text) {
  return canonical(Schema::built_in(), query(text));
}

}  // namespace beckon::profile::test
