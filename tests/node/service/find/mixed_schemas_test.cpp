// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "profile/schema/schema_json.h"
#include "tests/node/service/find/search_world.h"
#include "tests/profile/person/people.h"

// A ring whose nodes hold different numbers of one schema: everybody is found by what the asker
// knows, nobody is lost and nobody found wrongly.

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::SearchWorld;

TEST_SUITE_BEGIN("service/search with mixed schemas");

namespace {

const profile::Schema& first = profile::Schema::built_in();

profile::Schema grown(std::uint32_t number, const profile::Schema& from,
                      const std::vector<profile::Attribute>& more, std::uint8_t k) {
  auto attributes = from.attributes();
  auto classes = from.classes();
  attributes.insert(attributes.end(), more.begin(), more.end());
  classes.insert(classes.begin(), {.k = k});  // publishers of the older schemas do not know it
  auto out = profile::Schema::make(number, attributes, classes);
  REQUIRE(out.has_value());
  REQUIRE(profile::extends(*out, from).has_value());
  return *out;
}

struct Numbers {
  profile::Schema second = grown(2, first,
                                 {{.name = "team"},
                                  {.name = "weight",
                                   .type = profile::Type::decimal,
                                   .max_values = 1,
                                   .scale = 1,
                                   .max = 5000,
                                   .ladder = {64},
                                   .published_width = 50,
                                   .queried_width = 100}},
                                 9);
  profile::Schema third = grown(4, second, {{.name = "instrument", .prefix_keys = true}}, 11);
  SearchWorld::Schemas all{&first, &second, &third};
};

/// Somebody, with values of later attributes where the host knows them.
std::string someone(Rng& rng, const profile::Schema& schema) {
  profile::Profile person = profile::test::random_person(rng);
  auto set = [&](const char* name, const std::string& value) {
    if (!schema.slot(name) || rng.chance(0.4)) return;
    REQUIRE(person.set(schema, name, std::vector<std::string>{value}).has_value());
  };
  set("team", rng.chance(0.5) ? "red" : "blue");
  set("weight", rng.chance(0.5) ? "70.5" : fmt::format("{}..{}", 60 + rng.below(10), 75));
  set("instrument", rng.chance(0.5) ? "violin" : "viola");
  return profile::profile_json(schema, person);
}

/// What a node may ask by its schema, about somebody's values and about later attributes.
std::string question(Rng& rng, const profile::Schema& schema, const std::string& about) {
  for (;;) {
    auto profile = profile::parse_profile(schema, about);
    REQUIRE(profile.has_value());
    profile::Profile known;
    for (const auto& [name, values] : profile->attributes()) {
      if (!first.slot(name)) continue;
      std::vector<std::string> texts;
      for (const profile::Value& value : values) texts.push_back(value.shown);
      REQUIRE(known.set(first, name, texts).has_value());
    }
    std::string text = profile::canonical(
        first, profile::Query{.branches = {profile::test::random_branch(rng, known)}});
    std::vector<std::string> more;
    if (schema.slot("team")) {
      more = {"team=red",  "team=blue,red", "team!=red",      "has=team",
              "!has=team", "weight=70..71", "weight:=65..70", "weight!=70..71"};
    }
    if (schema.slot("instrument"))
      more.insert(more.end(), {"instrument~=vio", "instrument=viola", "!has=instrument"});
    if (!more.empty() && rng.chance(0.7))
      text += (rng.chance(0.2) ? "|" : "&") + more[rng.below(more.size())];
    if (!more.empty() && rng.chance(0.3)) text = more[rng.below(more.size())];
    if (profile::parse_query(schema, text)) return text;
  }
}

void ask_around(SearchWorld& world, Rng& rng, const std::vector<std::string>& texts, int count) {
  for (int i = 0; i < count; ++i) {
    std::size_t asker = rng.below(world.places.size());
    std::size_t about = rng.below(texts.size());
    const profile::Schema& schema = world.schema_at(asker);
    if (!profile::parse_profile(schema, texts[about])) continue;
    std::string text = question(rng, schema, texts[about]);
    CAPTURE(text);
    CAPTURE(asker);
    auto answer = world.find(asker, text);
    CHECK(answer.verified == world.truth(text));
    CHECK(answer.unverified.empty());
    CHECK(answer.report.complete);
    for (const FindReport::Way& way : answer.report.ways) {
      CAPTURE(way.label);
      CHECK(world.find(asker, text, 10'000, way.label).verified == answer.verified);
    }
  }
}

}  // namespace

TEST_CASE("nodes with three numbers of a schema find exactly the right people") {
  Numbers numbers;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    SearchWorld world(3 + seed, seed, {}, numbers.all);
    Rng rng(seed);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < 30; ++i) {
      std::size_t node = i % world.places.size();
      texts.push_back(someone(rng, world.schema_at(node)));
      world.publish(node, texts.back());
    }
    ask_around(world, rng, texts, 40);
  }
}

TEST_CASE("nobody is lost while one node after the other takes up a newer schema") {
  Numbers numbers;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    SearchWorld world(6, seed);
    Rng rng(seed);
    std::vector<std::string> texts;
    auto publish = [&](std::size_t node) {
      texts.push_back(someone(rng, world.schema_at(node)));
      world.publish(node, texts.back());
    };
    for (std::size_t node = 0; node < 18; ++node) publish(node % 6);
    for (std::size_t node = 0; node < 6; ++node) {
      world.net.crash(world.places[node]);
      world.spoken[world.places[node]] = node % 2 == 0 ? &numbers.second : &numbers.third;
      world.net.start(world.places[node]);
      world.net.run_for(60s);
      publish(node);
      ask_around(world, rng, texts, 8);
    }
  }
}

TEST_CASE("a record that a later schema laid out is stored, copied and answered by older nodes") {
  Numbers numbers;
  SearchWorld world(5, 3, {}, {&numbers.third, &first, &first, &first, &first});
  UserId rita = world.publish(0, R"({"name":"Rita","hobby":"chess","team":"red"})");
  UserId otto = world.publish(1, R"({"name":"Otto","hobby":"chess"})");
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(world.find(i, "hobby=chess").verified == std::set{rita, otto});
  CHECK(world.find(1, "hobby=chess name=rita").verified == std::set{rita});
  CHECK(world.find(0, "team=red").verified == std::set{rita});
  CHECK(world.find(0, "hobby=chess !has=team").verified == std::set{otto});
  CHECK(world.find(0, "hobby=chess team!=red").verified == std::set{otto});
  CHECK(world.withdraw(0, rita));
  CHECK(world.find(2, "hobby=chess").verified == std::set{otto});
}

TEST_SUITE_END();
