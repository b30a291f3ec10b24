// SPDX-License-Identifier: MIT
#include "tests/profile/query/extreme_queries.h"

#include <fmt/core.h>

#include <functional>

#include "profile/query/query.h"

namespace beckon::profile::test {

namespace {

std::string item_of_hours(Rng& rng) {  // most wrap
  return fmt::format("{}..{}", rng.between(8, 23), rng.between(0, 12));
}

std::string item_of_text(Rng& rng) {
  std::string out(1 + rng.below(rng.chance(0.2) ? 200 : 4), rng.chance(0.5) ? '\\' : 'a');
  return out + std::to_string(rng.below(1000));
}

std::string item_of(const std::string& attr, Rng& rng) {
  if (attr == "hours") return item_of_hours(rng);
  if (attr == "hobby" || attr == "x-a") return item_of_text(rng);
  if (attr == "room") return fmt::format("EC-{}..{}", rng.below(200), 200 + rng.below(200));
  if (attr == "ip") return fmt::format("10.{}.0.0/{}", rng.below(256), 16 + rng.below(17));
  if (attr == "born") return fmt::format("{}-{:02}", 1950 + rng.below(60), 1 + rng.below(12));
  return fmt::format("{}k..{}M", rng.below(900), 1 + rng.below(5));  // income
}

std::string any_attribute(Rng& rng) {
  static const std::vector<std::string> names{"hours", "hours", "hobby", "x-a",
                                              "room",  "ip",    "born",  "income"};
  return names[rng.below(names.size())];
}

std::string near_term(Rng& rng) {  // on both sides of where longitudes wrap
  return fmt::format("near={},{}{},{}km", rng.between(-80, 80), rng.chance(0.5) ? "" : "-",
                     rng.chance(0.5) ? 179.99 : 17.5, 1 + rng.below(40));
}

std::string quoted(const std::string& item) {
  std::string out = "\"";
  for (char c : item) out += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return out + "\"";
}

std::string friendly_term(Rng& rng, std::size_t items) {
  static const std::vector<std::string> ops{"=", ":=", ":=", "!="};
  std::string attr = any_attribute(rng);
  std::string out = (rng.chance(0.05) ? "!" : "") + attr + ops[rng.below(ops.size())];
  for (std::size_t i = 0; i < items; ++i) out += (i > 0 ? "," : "") + quoted(item_of(attr, rng));
  return out;
}

std::string friendly(Rng& rng) {
  std::string out;
  std::size_t nears = rng.chance(0.5) ? rng.below(33) : 0;
  std::size_t items = rng.chance(0.5) ? Query::max_items : rng.below(Query::max_items + 2);
  std::size_t terms = rng.chance(0.5) ? 1 : 1 + rng.below(Query::max_terms + 1 - nears % 32);
  for (std::size_t i = 0; i < nears; ++i) out += near_term(rng) + (rng.chance(0.5) ? " " : "&");
  for (std::size_t i = 0; i < terms; ++i) {
    if (i > 0) out += rng.chance(0.01) ? "|" : " ";
    out += rng.chance(0.1) ? "has=" + any_attribute(rng)
                           : friendly_term(rng, std::max<std::size_t>(1, items / terms));
  }
  return out;
}

std::string escaped(const std::string& item) {
  std::string out;
  for (char c : item) out += c == '\\' ? std::string("\\5c") : std::string(1, c);
  return out;
}

std::string ldap_term(Rng& rng) {
  std::string attr = any_attribute(rng);
  std::string out = fmt::format("({}{}{})", attr, attr == "hours" && rng.chance(0.7) ? ":=" : "=",
                                escaped(item_of(attr, rng)));
  return rng.chance(0.1) ? "(!" + out + ")" : out;
}

std::string ldap_list(Rng& rng, char kind, std::size_t terms) {
  std::string out = std::string("(") + kind;
  for (std::size_t i = 0; i < terms; ++i) out += ldap_term(rng);
  return out + ")";
}

/// An OR of up to 16 beside so much else: written once, spelled out for each.
std::string ldap(Rng& rng) {
  return "(&" + ldap_list(rng, '|', 1 + rng.below(Query::max_branches + 1)) +
         ldap_list(rng, '&', 1 + rng.below(Query::max_terms + 1)) + ")";
}

}  // namespace

std::string extreme_query(Rng& rng) { return rng.chance(0.7) ? friendly(rng) : ldap(rng); }

}  // namespace beckon::profile::test
