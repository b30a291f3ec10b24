// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>

#include "base/rng.h"
#include "profile/index/matcher.h"
#include "profile/index/record.h"
#include "profile/person/profile_json.h"
#include "profile/query/matches.h"
#include "profile/schema/schema_json.h"
#include "tests/profile/make.h"
#include "tests/profile/person/people.h"

// A schema that grows must leave everything as it is that an older one has made, and nodes that
// hold different numbers of it must understand each other.

using namespace beckon;
using namespace beckon::profile;

namespace {

const Salt salt{3};
const Schema& old = Schema::built_in();

Attribute random_attribute(Rng& rng, std::size_t number) {
  Attribute a{.name = fmt::format("new{}", number),
              .type = static_cast<Type>(rng.below(6)),
              .max_values = static_cast<std::uint8_t>(rng.between(1, 16))};
  if (a.type == Type::text) {
    a.prefix_keys = rng.chance(0.5);
    return a;
  }
  if (a.type == Type::decimal) a.scale = static_cast<std::uint8_t>(rng.below(10));
  a.min = rng.between(-1000, 0);
  a.max = rng.between(1, 1'000'000);
  if (rng.chance(0.7)) a.ladder = {rng.below(100) + 1, rng.below(1000) + 200};
  a.published_width = rng.below(1000) + 1;
  a.queried_width = rng.below(100'000) + 1;
  a.point_group = rng.below(10) + 1;
  return a;
}

/// The next schema: a few more attributes, and with `classes` also other layouts.
Schema grown(Rng& rng, const Schema& from, bool more_classes) {
  std::vector<Attribute> attributes = from.attributes();
  std::vector<LayoutClass> classes = from.classes();
  std::size_t more = rng.below(Schema::max_attributes - attributes.size() + 1);
  for (std::size_t i = 0; i < more; ++i)
    attributes.push_back(random_attribute(rng, attributes.size()));
  if (rng.chance(0.5)) attributes[rng.below(attributes.size())].visibility = Visibility::match;
  if (more_classes && classes.size() < Schema::max_classes)
    classes.push_back({.k = static_cast<std::uint8_t>(18 + classes.size())});
  std::rotate(classes.begin(),
              classes.begin() + static_cast<std::ptrdiff_t>(rng.below(classes.size())),
              classes.end());
  auto made = Schema::make(from.number() + 1 + static_cast<std::uint32_t>(rng.below(3)),
                           std::move(attributes), std::move(classes));
  REQUIRE_MESSAGE(made.has_value(), made.error().text);
  REQUIRE(extends(*made, from).has_value());
  auto again = parse_schema(schema_json(*made));
  REQUIRE(again.has_value());
  REQUIRE(schema_json(*again) == schema_json(*made));
  return *made;
}

Publication publication() {
  return {.host = {.address = "h:1"}, .version = 1, .expiry = wall_from_ms(1'000'000)};
}

bool same(const std::vector<Placement>& a, const std::vector<Placement>& b) {
  return std::ranges::equal(a, b, [](const Placement& x, const Placement& y) {
    return x.key == y.key && x.marks == y.marks;
  });
}

}  // namespace

TEST_SUITE("profile/growth") {
  TEST_CASE("what an old schema made of a profile, every later one makes too") {
    Rng rng(41);
    for (int round = 0; round < 60; ++round) {
      CAPTURE(round);
      Schema now = grown(rng, old, false);
      if (rng.chance(0.5)) now = grown(rng, now, false);
      REQUIRE(extends(now, old).has_value());
      for (const LayoutClass& layout : old.classes())
        REQUIRE(now.class_named(layout.name) != Schema::unknown_class);
      for (int i = 0; i < 10; ++i) {
        std::string text = profile_json(old, test::random_person(rng));
        auto before = parse_profile(old, text);
        auto after = parse_profile(now, text);
        REQUIRE((before && after));
        // Somebody's default visibility may have changed: only those who chose keep the bytes.
        for (Profile* p : {&*before, &*after}) {
          for (const auto& [name, values] : before->attributes())
            REQUIRE(p->set_visibility(old, name, Visibility::shown).has_value());
        }
        REQUIRE(same(placements(old, salt, *before, OwnerId{7}),
                     placements(now, salt, *after, OwnerId{7})));
        Record mine = build_record(old, salt, *before, publication());
        Record theirs = build_record(now, salt, *after, publication());
        REQUIRE(mine.presence == theirs.presence);
        for (const LayoutClass& layout : old.classes()) {
          const LayoutClass& then = now.classes()[now.class_named(layout.name)];
          Elements a = elements(old, salt, *before), b = elements(now, salt, *after);
          REQUIRE(make_filter(old, a, layout) == make_filter(now, b, then));
          REQUIRE(open_slots(old, a, layout) == open_slots(now, b, then));
        }
        Branch branch = test::random_branch(rng, *before);
        REQUIRE(encode(blind(old, salt, branch)) == encode(blind(now, salt, branch)));
      }
    }
  }

  TEST_CASE("without other classes a record keeps its very bytes") {
    Rng rng(43);
    for (int round = 0; round < 100; ++round) {
      std::vector<Attribute> attributes = old.attributes();
      while (attributes.size() < Schema::max_attributes)
        attributes.push_back(random_attribute(rng, attributes.size()));
      auto now = Schema::make(2, attributes, old.classes());
      REQUIRE(now.has_value());
      std::string text = profile_json(old, test::random_person(rng));
      Record before = build_record(old, salt, *parse_profile(old, text), publication());
      Record after = build_record(*now, salt, *parse_profile(*now, text), publication());
      REQUIRE(encode(before) == encode(after));
    }
  }

  TEST_CASE("an index node loses nobody, whichever number publisher, asker and it hold") {
    Rng rng(47);
    int later = 0;
    for (int round = 0; round < 400; ++round) {
      CAPTURE(round);
      std::vector<Schema> numbers{old, grown(rng, old, true)};
      numbers.push_back(grown(rng, numbers.back(), true));
      const Schema& publisher = numbers[rng.below(3)];
      const Schema& asker = numbers[rng.below(3)];
      const Schema& index = numbers[rng.below(3)];
      Profile person = test::random_person(rng);
      auto profile = parse_profile(publisher, profile_json(old, person));
      REQUIRE(profile.has_value());
      // Values of text attributes that only later schemas have.
      std::string extra;
      for (const Attribute& a : publisher.attributes()) {
        bool fresh =
            !old.slot(a.name) && a.type == Type::text && a.visibility != Visibility::hidden;
        if (!fresh || rng.chance(0.3)) continue;
        REQUIRE(profile->set(publisher, a.name, std::vector<std::string>{"red"}).has_value());
        extra = a.name;
      }
      Branch branch = test::random_branch(rng, person);
      std::string asked = canonical(old, Query{{branch}});
      if (asker.slot(extra)) {
        asked += "&" + extra + "=red";
        ++later;
      }
      auto query = parse_query(asker, asked);
      if (!query) continue;  // nothing but negations
      auto told = parse_question(publisher, asked);
      REQUIRE_MESSAGE(told.has_value(), told.error().text);
      if (!matches(publisher, *profile, *told)) continue;
      auto record = decode_record(encode(build_record(publisher, salt, *profile, publication())));
      REQUIRE(record.has_value());
      for (const Branch& each : query->branches) {
        Predicates predicates = blind(asker, salt, each);
        FilterView view{index.class_named(record->layout), record->presence, record->open,
                        record->filter};
        bool quick = Matcher(index, predicates).may_match(*record);
        REQUIRE(quick);
        REQUIRE(may_match(index, predicates, view));
      }
    }
    CHECK(later > 20);
  }

  TEST_CASE("a host answers questions about attributes that only later schemas have") {
    Profile chess = test::person({"hobby=chess", "age=24"});
    auto holds = [&](const char* text) {
      auto query = parse_question(old, text);
      REQUIRE_MESSAGE(query.has_value(), query.error().text);
      return matches(old, chess, *query);
    };
    CHECK_FALSE(holds("hobby=chess&team=red"));
    CHECK_FALSE(holds("hobby=chess&team:=1..2"));
    CHECK_FALSE(holds("hobby=chess&team~=red"));
    CHECK_FALSE(holds("has=team&hobby=chess"));
    CHECK(holds("hobby=chess&team!=red"));
    CHECK(holds("!has=team&hobby=chess"));
    CHECK(holds("!team:=\"a b\"&hobby=chess"));
    CHECK(holds("hobby=chess|team=red"));
    CHECK_FALSE(holds("hobby=go|team=red"));
    CHECK_FALSE(holds("team=red"));
    CHECK_FALSE(parse_question(old, "hobby=").has_value());
    CHECK_FALSE(parse_question(old, "age=abc").has_value());
    CHECK_FALSE(parse_query(old, "hobby=chess&team=red").has_value());
    auto placeless = parse_schema(R"({"fold":"1","attributes":[{"name":"hobby","type":"text"}]})");
    REQUIRE(placeless.has_value());
    auto near = parse_question(*placeless, "!near=1,1,5km&hobby=chess");
    REQUIRE(near.has_value());
    Profile go;
    REQUIRE(go.set(*placeless, "hobby", std::vector<std::string>{"chess"}).has_value());
    CHECK(matches(*placeless, go, *near));
  }
}
