// SPDX-License-Identifier: MIT
#include "profile/person/profile_json.h"

#include "base/json.h"
#include "base/rng.h"
#include "tests/profile/make.h"
#include "tests/profile/person/people.h"

using namespace beckon;
using namespace beckon::profile;

namespace {

const Schema& schema = Schema::built_in();

Profile read(const std::string& json) {
  auto profile = parse_profile(schema, json);
  INFO(json);
  if (!profile) FAIL(profile.error().text);
  return *profile;
}

std::string error_of(const std::string& json) {
  auto profile = parse_profile(schema, json);
  return profile ? "" : profile.error().text;
}

const std::string alice =
    R"({"name":"Alice Lin","hobby":["chess","go"],"age":24,"income":{"min":40000,"max":60000},)"
    R"("longitude":121.53,"latitude":25.05,"sip":"sip:alice@example.net","visibility":{"*":"public","income":"match","phone":"private"}})";

}  // namespace

TEST_SUITE("profile/json") {
  TEST_CASE("the sample profile is read and written as it stands") {
    CHECK(profile_json(schema, read(alice)) == alice);
  }

  TEST_CASE("the card holds the public attributes and nothing else") {
    Profile p = read(alice);
    CHECK(card_json(schema, p) ==
          R"({"name":"Alice Lin","hobby":["chess","go"],"age":24,"sip":"sip:alice@example.net"})");
    Disclosure d = disclosure(schema, p);
    CHECK(d.shown == std::vector<std::string>{"name", "hobby", "age", "sip"});
    CHECK(d.matched == std::vector<std::string>{"income", "longitude", "latitude"});
    CHECK(d.hidden.empty());
    CHECK(card_json(schema, Profile{}) == "{}");
  }

  TEST_CASE("decimals stay exact, whatever a double would make of them") {
    CHECK(read(R"({"latitude":23.26215})").values("latitude")[0].number ==
          Interval{232'622, 232'622});
    CHECK(read(R"({"latitude":23.26225})").values("latitude")[0].number ==
          Interval{232'622, 232'622});
    CHECK(read(R"({"income":4e4})").values("income")[0].number == Interval{40'000, 40'000});
  }

  TEST_CASE("whatever a profile holds is written and read back as the same profile") {
    Rng rng(29);
    for (int round = 0; round < 500; ++round) {
      Profile p = test::random_person(rng);
      std::string once = profile_json(schema, p);
      CAPTURE(once);
      Profile again = read(once);
      REQUIRE(profile_json(schema, again) == once);
      REQUIRE(again.attributes() == p.attributes());
    }
  }

  TEST_CASE("an error names the field") {
    CHECK(error_of(R"({"age":true})") == "age: a value cannot be true or false");
    CHECK(error_of(R"({"age":null})") == "age: a value cannot be null");
    CHECK(error_of(R"({"age":[[1]]})") == "age: a value cannot be a list");
    CHECK(error_of(R"({"age":[]})") == "age: no value given");
    CHECK(error_of(R"({"age":"old"})").starts_with("age: 'old' is not a number"));
    CHECK(error_of(R"({"age":200})") == "age: age lies in 1..120");
    CHECK(error_of(R"({"income":{"min":5}})").starts_with("income: a range is"));
    CHECK(error_of(R"({"income":{"min":5,"max":9,"x":1}})").starts_with("income: a range is"));
    CHECK(error_of(R"({"income":{"min":9,"max":5}})").starts_with("income: the range ends"));
    CHECK(error_of(R"({"agee":1})") == "no attribute \"agee\". Close: age");
    CHECK(error_of(R"({"age":1,"age":2})") == "\"age\" occurs twice");
    CHECK(error_of(R"({"visibility":{"age":"secret"}})").starts_with("visibility.age: must be"));
    CHECK(error_of(R"({"visibility":{"agee":"match"}})").find("Close: age") != std::string::npos);
    CHECK(error_of(R"({"visibility":3})") == "visibility: must be an object");
    CHECK(error_of(R"(["age"])") == "a profile is an object, not a list");
    CHECK(error_of("{\"name\":\"\xff\"}") == "not JSON: not UTF-8");
    CHECK(error_of(" \n") == "not JSON: there is nothing in it");
    CHECK(error_of(R"({"age":1e400})") == "the number 1e400 is too large");
    CHECK(error_of(R"({"age":1} x)").find("not JSON") != std::string::npos);
  }

  TEST_CASE("a patch replaces what it names and takes away what is null") {
    auto patched = [](const std::string& json) {
      auto profile = patch_profile(schema, read(alice), json);
      INFO(json);
      if (!profile) FAIL(profile.error().text);
      return *profile;
    };
    CHECK(profile_json(schema, patched("{}")) == alice);
    Profile p = patched(R"({"hobby":"kendo","age":null,"phone":"1"})");
    CHECK(p.values("hobby").size() == 1);
    CHECK(p.values("hobby")[0].text == "kendo");
    CHECK(p.values("age").empty());
    CHECK(p.values("phone").size() == 1);
    CHECK(p.values("name")[0].shown == "Alice Lin");

    Profile seen = patched(R"({"visibility":{"income":null,"phone":"public","age":"match"}})");
    CHECK(seen.visibility(schema, "income") ==
          read(R"({"visibility":{"*":"public"}})").visibility(schema, "income"));
    CHECK(profile_json(schema, seen).find("\"income\":\"match\"") == std::string::npos);
    CHECK(seen.visibility(schema, "phone") == Visibility::shown);
    CHECK(seen.visibility(schema, "age") == Visibility::match);
    CHECK(profile_json(schema, patched(R"({"visibility":null})")).find("visibility") ==
          std::string::npos);
  }

  TEST_CASE("a patch that is wrong in one place is refused as a whole") {
    for (const char* bad : {R"({"age":30,"agee":null})", R"({"age":30,"hobby":[null]})",
                            R"({"visibility":{"agee":"match"}})", R"({"visibility":{"age":3}})",
                            R"({"visibility":7})", "[]", ""}) {
      CAPTURE(bad);
      CHECK_FALSE(patch_profile(schema, read(alice), bad));
    }
  }

  TEST_CASE("a profile has 32 KiB of JSON and 128 members at most") {
    std::string empty = R"({"age":24})";
    std::string longest = empty + std::string(max_profile_json - empty.size(), ' ');
    CHECK(error_of(longest).empty());
    CHECK(error_of(longest + " ").find("at most") != std::string::npos);
    CHECK(error_of(R"({"income":[{"min":1,"max":2}]})").empty());  // three levels
  }

  TEST_CASE("bombs of size, depth, members and values are refused at once") {
    CHECK(error_of("{\"name\":\"" + std::string(40'000, 'a') + "\"}").find("at most") !=
          std::string::npos);
    CHECK(error_of("{\"name\":" + std::string(10'000, '[')).find("deeper") != std::string::npos);
    std::string members = "{";
    for (int i = 0; i < 200; ++i) members += "\"x-" + std::to_string(i) + "\":1,";
    CHECK(error_of(members + "\"age\":1}").find("more than 128 members") != std::string::npos);
    std::string values = "{\"hobby\":[";
    for (int i = 0; i < 100; ++i) values += "\"" + std::to_string(i) + "\",";
    CHECK(error_of(values + "\"x\"]}") == "hobby: at most 8 values are allowed");
  }
}
