// SPDX-License-Identifier: MIT
// Profiles and users over HTTP: store, change, publish, withdraw, import.
#include "tests/node/service/routes/asked_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::AskedWorld;

TEST_SUITE_BEGIN("service/profile_routes");

namespace {

const Json ann{{"name", "Ann"}, {"hobby", "chess"}, {"mail", "ann@example.net"}, {"phone", "110"}};

}  // namespace

TEST_CASE("a profile is shown with what others see of it, and what is not published yet") {
  AskedWorld w(1);
  Json stored = w.ask(0, "PUT", "/v1/profile", {}, ann).body;
  Json wanted{{"user", w.my_id(0)},
              {"address", w.people(0).address_of(w.me(0))},
              {"name", "Ann"},
              {"published", false},
              {"version", 0},
              {"profile", ann},
              {"card", {{"name", "Ann"}, {"hobby", "chess"}}},
              {"public", Json::array({"name", "hobby"})},
              {"match", Json::array({"mail"})},
              {"private", Json::array({"phone"})},
              {"changed", false}};
  CHECK(stored == wanted);
  CHECK(w.get(0, "/v1/profile") == wanted);
  Json published = w.ask(0, "POST", "/v1/profile/publish").body;
  CHECK(published["user"] == w.my_id(0));
  CHECK(published["records"] == published["stored"]);
  CHECK(published["records"].get<int>() > 0);
  CHECK_FALSE(published.contains("why"));
  wanted["published"] = true;
  wanted["version"] = published["version"];
  CHECK(w.get(0, "/v1/profile") == wanted);
  Json patched = w.ask(0, "PATCH", "/v1/profile", {}, {{"hobby", "go"}}).body;
  CHECK(patched["changed"] == true);
  CHECK(patched["profile"]["hobby"] == "go");
  CHECK(patched["profile"]["name"] == "Ann");
  Json replaced = w.ask(0, "PUT", "/v1/profile", {}, {{"hobby", "go"}}).body;
  CHECK(replaced["profile"] == Json{{"hobby", "go"}});
}

TEST_CASE("who withdraws or clears a profile is no longer found") {
  AskedWorld w(2);
  auto found = [&] { return w.get(1, "/v1/find", {{"hobby", "chess"}})["people"].size(); };
  w.publish(0, ann);
  CHECK(found() == 1);
  auto version = w.get(0, "/v1/profile")["version"].get<std::uint64_t>();
  Json withdrawn = w.ask(0, "POST", "/v1/profile/withdraw").body;
  CHECK(withdrawn["records"].get<int>() > 0);
  CHECK(withdrawn["stored"] == withdrawn["records"]);
  CHECK(withdrawn["version"].get<std::uint64_t>() > version);
  CHECK(found() == 0);
  CHECK(w.get(0, "/v1/profile")["profile"] == ann);
  Json again = w.ask(0, "POST", "/v1/profile/withdraw").body;
  CHECK(again["records"] == 0);
  CHECK(again["version"] == withdrawn["version"]);
  w.publish(0, ann);
  CHECK(found() == 1);
  Json cleared = w.ask(0, "DELETE", "/v1/profile").body;
  CHECK(cleared["profile"] == Json::object());
  CHECK(cleared["published"] == false);
  CHECK(found() == 0);
  w.ask(0, "PUT", "/v1/profile", {}, ann);
  CHECK(w.ask(0, "DELETE", "/v1/profile").body["profile"] == Json::object());
  CHECK(w.get(0, "/v1/profile")["profile"] == Json::object());
}

TEST_CASE("what cannot be stored or published is refused with the reason") {
  AskedWorld w(1);
  auto empty = w.ask(0, "POST", "/v1/profile/publish");
  CHECK(empty.status == 400);
  CHECK(empty.body["detail"] == "there is nothing to publish: the profile is empty");
  CHECK(w.status_of(0, "PUT", "/v1/profile", {}, {{"shoe", 43}}) == 400);
  CHECK(w.status_of(0, "PATCH", "/v1/profile", {}, {{"age", 999}}) == 400);
  CHECK(w.ask_text(0, "PUT", "/v1/profile", {}, "x").status == 400);
  for (const char* method : {"GET", "PUT", "PATCH", "DELETE"})
    CHECK(w.status_of(0, method, "/v1/profile", {{"_as", "ffffff"}}, ann) == 404);
  for (const char* path : {"/v1/profile/publish", "/v1/profile/withdraw"})
    CHECK(w.status_of(0, "POST", path, {{"_as", "ffffff"}}) == 404);
  CHECK(w.get(0, "/v1/profile", {{"_as", ""}})["user"] == w.my_id(0));
}

TEST_CASE("users are listed with the first one first, their names, versions and records") {
  AskedWorld w(1);
  CHECK(w.get(0, "/v1/users")["users"] ==
        Json::array({{{"id", w.my_id(0)},
                      {"address", w.people(0).address_of(w.me(0))},
                      {"name", ""},
                      {"published", false},
                      {"version", 0},
                      {"records", 0}}}));
  for (int i = 0; i < 6; ++i)
    w.ask_text(0, "POST", "/v1/profile/import", {}, R"({"name":"B","hobby":"chess"})");
  w.publish(0, ann);
  Json users = w.get(0, "/v1/users")["users"];
  REQUIRE(users.size() == 7);
  CHECK(users[0]["id"] == w.my_id(0));
  CHECK(users[0]["name"] == "Ann");
  CHECK(users[0]["published"] == true);
  CHECK(users[0]["version"] == w.get(0, "/v1/profile")["version"]);
  CHECK(users[0]["records"] == w.ask(0, "POST", "/v1/profile/publish").body["records"]);
  for (std::size_t i = 1; i < 7; ++i) {
    CHECK(users[i]["name"] == "B");
    CHECK(users[i]["published"] == false);
    std::string id = users[i]["id"].get<std::string>();
    CHECK(w.get(0, "/v1/profile", {{"_as", id}})["profile"]["name"] == "B");
  }
  CHECK(w.get(0, "/v1/status")["users"] == w.get(0, "/v1/users")["users"]);
}

TEST_CASE("an import makes a user of every line, and tells which lines it could not read") {
  AskedWorld w(2);
  std::string lines =
      "{\"name\":\"B\",\"hobby\":\"chess\"}\n \t\r\n{\"shoe\":1}\n{}x\n"
      "{\"name\":\"C\",\"hobby\":\"chess\"}";
  Json kept = w.ask_text(0, "POST", "/v1/profile/import", {{"publish", "0"}}, lines).body;
  CHECK(kept["imported"] == 2);
  CHECK(kept["published"] == 0);
  REQUIRE(kept["failed"].size() == 2);
  CHECK(kept["failed"][0]["line"] == 3);
  CHECK(kept["failed"][1]["line"] == 4);
  CHECK_FALSE(kept["failed"][0]["error"].text().empty());
  CHECK(w.get(0, "/v1/users")["users"].size() == 3);
  CHECK(w.get(1, "/v1/find", {{"hobby", "chess"}})["people"].empty());
  Json told = w.ask_text(0, "POST", "/v1/profile/import", {{"publish", "1"}}, lines).body;
  CHECK(told["imported"] == 2);
  CHECK(told["published"] == 2);
  CHECK(w.get(1, "/v1/find", {{"hobby", "chess"}})["people"].size() == 2);
  CHECK(w.ask_text(0, "POST", "/v1/profile/import", {}, "").body ==
        Json{{"imported", 0}, {"published", 0}, {"failed", Json::array()}});
}

TEST_CASE("an import tells of users that the disk refused, and of records not stored") {
  AskedWorld w(1);
  w.world.disk(AskedWorld::address(0)).limit_bytes(1);
  Json refused =
      w.ask_text(0, "POST", "/v1/profile/import", {{"publish", "1"}}, R"({"name":"B"})").body;
  CHECK(refused["imported"] == 0);
  CHECK(refused["published"] == 0);
  REQUIRE(refused["failed"].size() == 1);
  CHECK(refused["failed"][0]["line"] == 1);
}

TEST_CASE("attributes are listed with their types, limits and units") {
  AskedWorld w(1);
  Json all = w.get(0, "/v1/attributes");
  const profile::Schema& schema = profile::Schema::built_in();
  CHECK(all["schema"] == schema.number());
  REQUIRE(all["attributes"].size() == schema.attributes().size());
  auto named = [&](const std::string& name) {
    for (const Json& a : all["attributes"]) {
      if (a["name"] == name) return a;
    }
    return Json();
  };
  CHECK(named("hobby") ==
        Json{{"name", "hobby"}, {"type", "text"}, {"visibility", "public"}, {"max_values", 8}});
  CHECK(named("longitude") == Json{{"name", "longitude"},
                                   {"type", "decimal"},
                                   {"visibility", "match"},
                                   {"max_values", 1},
                                   {"min", "-180"},
                                   {"max", "179.9999"},
                                   {"decimals", 4},
                                   {"circular", true}});
  CHECK(named("age")["max"] == "120");
  CHECK(w.get(0, "/v1/profile/schema")["properties"].contains("hobby"));
}

TEST_SUITE_END();
