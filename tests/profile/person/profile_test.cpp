// SPDX-License-Identifier: MIT
#include "profile/person/profile.h"

#include <algorithm>

#include "tests/profile/make.h"

using namespace beckon;
using namespace beckon::profile;
using test::person;

namespace {

const Schema& schema = Schema::built_in();

Result<void> set(Profile& profile, const char* name, std::vector<std::string> values) {
  return profile.set(schema, name, values);
}

}  // namespace

TEST_SUITE("profile/profile") {
  TEST_CASE("setting replaces, equal values count once, unsetting removes") {
    Profile p = person({"hobby=chess"});
    REQUIRE(set(p, "hobby", {"Go", "go ", "Chess"}).has_value());
    CHECK(p.values("hobby").size() == 2);
    CHECK(p.values("hobby")[0].shown == "Go");
    CHECK(p.unset("hobby"));
    CHECK_FALSE(p.unset("hobby"));
    CHECK(p.values("hobby").empty());
  }

  TEST_CASE("a refused value names its attribute and changes nothing") {
    Profile p = person({"age=24"});
    auto wrong = set(p, "age", {"200"});
    CHECK(wrong.error().text == "age: age lies in 1..120");
    CHECK(p.values("age")[0].number == Interval{24, 24});
    CHECK(set(p, "agee", {"1"}).error().text == "no attribute \"agee\". Close: age");
    CHECK(set(p, "age", {"1", "2"}).error().text == "age: at most 1 value is allowed");
    CHECK(set(p, "age", {}).error().text == "age: no value given");
  }

  TEST_CASE("a profile is bounded in values and in attributes of its own") {
    Profile p;
    std::vector<std::string> many;
    for (int i = 0; i < 100; ++i) many.push_back("v" + std::to_string(i));
    CHECK_FALSE(p.set(schema, "hobby", many).has_value());
    for (std::size_t i = 0; i < Profile::max_user_attributes; ++i) {
      REQUIRE(set(p, ("x-" + std::to_string(i)).c_str(), {"a", "b"}).has_value());
    }
    CHECK_FALSE(set(p, "x-more", {"a"}).has_value());
    CHECK(set(p, "x-0", {"c"}).has_value());
    std::vector<std::string> eight(many.begin(), many.begin() + 8);
    for (const char* name : {"hobby", "skill", "lang", "course"})
      REQUIRE(p.set(schema, name, eight).has_value());
    CHECK_FALSE(set(p, "name", {"the last", "one too many"}).has_value());
  }

  TEST_CASE("a profile holds max_values values and as many entries of visibility") {
    std::vector<std::string> eight;
    for (int i = 0; i < 8; ++i) eight.push_back("v" + std::to_string(i));
    Profile p;
    std::size_t values = 0;
    for (const char* name : {"hobby", "skill", "lang", "course"}) {
      REQUIRE(p.set(schema, name, eight));
      values += eight.size();
    }
    for (int i = 0; values < Profile::max_values; ++i) {
      std::size_t more = std::min<std::size_t>(4, Profile::max_values - values);
      std::vector<std::string> some(eight.begin(), eight.begin() + static_cast<int>(more));
      REQUIRE(p.set(schema, "x-" + std::to_string(i), some));
      values += more;
    }
    CHECK(set(p, "name", {"one too many"}).error().text ==
          "name: a profile holds at most 64 values");
    CHECK(set(p, "hobby", {"fewer"}).has_value());
    CHECK(set(p, "name", {"now there is room"}).has_value());

    Profile seen;
    for (std::size_t i = 0; i < Profile::max_values; ++i) {
      REQUIRE(seen.set_visibility(schema, "x-" + std::to_string(i), Visibility::match));
    }
    CHECK(seen.set_visibility(schema, "age", Visibility::match).error().text ==
          "visibility: at most 64 entries");
    CHECK(seen.set_visibility(schema, "x-0", Visibility::shown));
    seen.reset_visibility("x-0");
    CHECK(seen.set_visibility(schema, "age", Visibility::match));
  }

  TEST_CASE("visibility: an attribute's own word, else the stricter of * and the schema") {
    Profile p = person({"name=Al", "income=5k", "phone=1"});
    CHECK(p.visibility(schema, "name") == Visibility::shown);
    CHECK(p.visibility(schema, "income") == Visibility::match);
    CHECK(p.visibility(schema, "phone") == Visibility::hidden);
    REQUIRE(p.set_visibility(schema, "*", Visibility::match).has_value());
    CHECK(p.visibility(schema, "name") == Visibility::match);
    CHECK(p.visibility(schema, "phone") == Visibility::hidden);
    REQUIRE(p.set_visibility(schema, "phone", Visibility::shown).has_value());
    CHECK(p.visibility(schema, "phone") == Visibility::shown);
    CHECK(p.searchable(schema, "phone").size() == 1);
    REQUIRE(p.set_visibility(schema, "name", Visibility::hidden).has_value());
    CHECK(p.searchable(schema, "name").empty());
    CHECK_FALSE(p.set_visibility(schema, "nmae", Visibility::match).has_value());
  }
}
