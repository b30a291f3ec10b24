// SPDX-License-Identifier: MIT
#include "profile/index/keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "profile/query/matches.h"
#include "profile/schema/schema_json.h"
#include "tests/profile/make.h"
#include "tests/profile/person/people.h"

using namespace beckon;
using namespace beckon::profile;
using test::person;

namespace {

const Schema& schema = Schema::built_in();
const Salt salt{};
const OwnerId owner{0xA7};

/// How many probes of the access answer the profile.
int answers(const Access& access, const std::vector<Placement>& placed) {
  int count = 0;
  for (const Probe& probe : access.probes) {
    for (const Placement& place : placed) {
      if (place.key == probe.key && probe.wanted.admits(place.marks)) ++count;
    }
  }
  return count;
}

std::vector<std::string> labels(const char* text) {
  std::vector<std::string> out;
  for (const Access& access : accesses(schema, salt, test::query(text).branches[0]))
    out.push_back(access.label);
  return out;
}

std::size_t probe_count(const char* text) {
  return accesses(schema, salt, test::query(text).branches[0])[0].probes.size();
}

}  // namespace

TEST_SUITE("profile/keys") {
  TEST_CASE("every branch has its ways, and the list of everybody last") {
    CHECK(labels("hobby=chess,go age=20..30 city!=rome has=sip") ==
          std::vector<std::string>{"age=20..30", "hobby=chess,go", "all"});
    CHECK(labels("hobby:=chess,go") ==
          std::vector<std::string>{"hobby:=chess", "hobby:=go", "all"});
    CHECK(labels("near=25,121,5km") == std::vector<std::string>{"near=25,121,5km", "all"});
    CHECK(labels("latitude=25..26") == std::vector<std::string>{"all"});
    CHECK(labels("latitude=25..26 longitude=121") ==
          std::vector<std::string>{"latitude=25..26&longitude=121", "all"});
    CHECK(labels("born=1950..2000") == std::vector<std::string>{"all"});
    CHECK(labels("name~=ali") == std::vector<std::string>{"name~=ali", "all"});
    CHECK(labels("hobby~=ches") == std::vector<std::string>{"all"});  // has no prefix keys
    CHECK(labels("room=ec-*") == std::vector<std::string>{"room=ec-*", "all"});
  }

  TEST_CASE("few keys are read: the design's figures") {
    CHECK(probe_count("hobby=chess") == 1);
    CHECK(probe_count("age=20..29") <= 2);
    CHECK(probe_count("hours:=9..17") == 1);
    CHECK(probe_count("income=40k..60k") <= 4);
    CHECK(probe_count("near=25.05,121.53,1km") <= 9);
    CHECK(everybody(salt).probes.size() == 16);
  }

  TEST_CASE("a profile has one key a text, few a number, and one shard of everybody") {
    CHECK(placements(schema, salt, person({"hobby=chess"}), owner).size() == 2);
    CHECK(placements(schema, salt, person({"age=24"}), owner).size() == 2);
    CHECK(placements(schema, salt, person({"income=40000"}), owner).size() == 3);
    CHECK(placements(schema, salt, person({"name=Al"}), owner).size() ==
          2);  // too short for a prefix key
    CHECK(placements(schema, salt, person({"name=Alice"}), owner).size() == 3);
    CHECK(placements(schema, salt, person({"latitude=25"}), owner).size() ==
          1);  // half a place has no cell
    CHECK(placements(schema, salt, person({"latitude=25", "longitude=121"}), owner).size() == 3);
    CHECK(placements(schema, salt, person({"phone=1"}), owner).size() == 1);  // private
  }

  TEST_CASE("keys depend on salt, kind, attribute and value") {
    auto key_of = [](const Salt& s, const char* setting) {
      auto placed = placements(schema, s, person({setting}), owner);
      auto shard = everybody(s).probes[10].key;
      auto found = std::find_if(placed.begin(), placed.end(),
                                [&](const Placement& p) { return p.key != shard; });
      return found->key;
    };
    Salt other{1};
    std::set<RingKey> keys{key_of(salt, "hobby=chess"), key_of(other, "hobby=chess"),
                           key_of(salt, "skill=chess"), key_of(salt, "hobby=ches"),
                           key_of(salt, "age=24"),      key_of(salt, "age=48")};
    CHECK(keys.size() == 6);
    CHECK(key_of(salt, "age=24") == key_of(salt, "age=25"));  // the same bucket
    CHECK(key_of(salt, "hobby=Chess ") == key_of(salt, "hobby=chess"));
  }

  TEST_CASE("the owner's id alone chooses the shard of everybody") {
    std::set<RingKey> shards;
    for (int i = 0; i < 256; ++i) {
      auto placed = placements(schema, salt, Profile{}, OwnerId{static_cast<std::uint8_t>(i)});
      REQUIRE(placed.size() == 1);
      shards.insert(placed[0].key);
    }
    CHECK(shards.size() == 16);
  }

  TEST_CASE("whoever matches is reached by every way, and single values only once") {
    Rng rng(19);
    int reached = 0;
    for (int round = 0; round < 4'000; ++round) {
      Profile profile = test::random_person(rng);
      Branch branch = test::random_branch(rng, profile);
      bool truth = matches(schema, profile, Query{{branch}});
      if (!truth) continue;
      auto placed = placements(schema, salt, profile, owner);
      for (const Access& access : accesses(schema, salt, branch)) {
        CAPTURE(canonical(schema, Query{{branch}}));
        CAPTURE(access.label);
        REQUIRE(answers(access, placed) >= 1);
        if (access.label == "all") REQUIRE(answers(access, placed) == 1);
        ++reached;
      }
    }
    CHECK(reached > 2'000);
  }

  TEST_CASE("values of a circle that meet under one key hide none of each other") {
    Rng rng(7);
    auto hours = [&] {
      auto from = rng.below(24);
      return fmt::format("{}..{}", from, (from + rng.below(12)) % 24);
    };
    int reached = 0;
    for (int round = 0; round < 6'000; ++round) {
      Profile profile = person({"hours=" + hours(), "hours=" + hours(), "hours=" + hours()});
      Branch branch = test::query((rng.chance(0.5) ? "hours=" : "hours:=") + hours()).branches[0];
      if (!matches(schema, profile, Query{{branch}})) continue;
      auto placed = placements(schema, salt, profile, owner);
      for (const Access& access : accesses(schema, salt, branch)) {
        CAPTURE(canonical(schema, Query{{branch}}));
        CAPTURE(access.label);
        REQUIRE(answers(access, placed) >= 1);
        ++reached;
      }
    }
    CHECK(reached > 3'000);
  }

  TEST_CASE("the marks survive as bytes, unknown ones pass if ignorable and are refused if not") {
    for (int flags = 0; flags < 256; ++flags) {
      auto marks = decode<Marks>(Bytes{static_cast<std::uint8_t>(flags), 3});
      REQUIRE(marks.has_value() == ((flags & 8) == 0));
      if (marks) CHECK(encode(*marks)[0] == (flags & 7));
    }
    CHECK_FALSE(decode<Marks>(Bytes{1, 0}).has_value());
    CHECK_FALSE(decode<Marks>(Bytes{1, 17}).has_value());
  }

  TEST_CASE("a number without a ladder has no key of its own and is found among everybody") {
    auto bare = parse_schema(R"({"fold":"1","attributes":[
      {"name":"shoe","type":"int","min":1,"max":60},
      {"name":"lat","type":"int","min":0,"max":90,"axis":"latitude"},
      {"name":"lon","type":"int","min":0,"max":90,"axis":"longitude"}],
      "classes":[{"k":8,"slots":{"shoe":[1,2],"lat":[1,1],"lon":[1,1],"x-":[1,1]}}]})");
    REQUIRE(bare.has_value());
    Profile profile;
    const std::vector<std::string> value{"42"};
    for (const char* name : {"shoe", "lat", "lon"}) REQUIRE(profile.set(*bare, name, value));
    auto placed = placements(*bare, salt, profile, owner);
    REQUIRE(placed.size() == 1);
    for (const char* text : {"shoe=42", "shoe=40..44", "shoe:=42", "lat=42 lon=42"}) {
      CAPTURE(text);
      auto query = parse_query(*bare, text);
      REQUIRE(query.has_value());
      auto ways = accesses(*bare, salt, query->branches[0]);
      REQUIRE(ways.size() == 1);
      CHECK(ways[0].label == "all");
      CHECK(answers(ways[0], placed) == 1);
    }
  }

  TEST_CASE("golden: the keys of a small schema never change") {
    auto small = parse_schema(R"({"fold":"1","attributes":[
      {"name":"hobby","type":"text"},{"name":"age","type":"int","min":1,"max":120,"ladder":[16]}],
      "classes":[{"k":8,"slots":{"age":[1,2],"x-":[1,1]}}]})");
    REQUIRE(small.has_value());
    auto first_key = [&](const char* text) {
      auto query = parse_query(*small, text);
      REQUIRE(query.has_value());
      return to_hex(accesses(*small, salt, query->branches[0])[0].probes[0].key);
    };
    CHECK(first_key("hobby=chess") == "e8fd51edfe309d30675f5b298fa4aec28f7bd168");
    CHECK(first_key("age=24") == "37a22455ed99c4b42a660030686411c3c72d5898");
    CHECK(to_hex(everybody(salt).probes[0].key) == "7db7ba80fe9e3c67323b3c71478c6d40b4d406e1");
    CHECK(to_hex(directory_key(*small, salt, "hobby")) ==
          "dbe17efce4b3a9b5b8c4c02856de7bc418a30ec4");
  }
}
