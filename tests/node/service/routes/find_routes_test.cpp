// SPDX-License-Identifier: MIT
// Searches over HTTP: parameters, pages, streams and explanations.
#include <set>

#include "tests/node/service/routes/asked_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::AskedWorld;
using Fields = AskedWorld::Fields;

TEST_SUITE_BEGIN("service/find_routes");

namespace {

/// Three people on node 1 who play chess, one of them is 30.
struct Players : AskedWorld {
  explicit Players(std::size_t nodes = 3) : AskedWorld(nodes) {
    std::string lines = R"({"name":"B","hobby":"chess","age":30})"
                        "\n"
                        R"({"name":"C","hobby":"chess","age":31})"
                        "\n"
                        R"({"name":"D","hobby":"chess","sip":"sip:d@example.net"})";
    Json done = ask_text(1, "POST", "/v1/profile/import", {{"publish", "1"}}, lines).body;
    REQUIRE(done["published"] == 3);
  }
  int status(Fields query) { return status_of(0, "GET", "/v1/find", std::move(query)); }
  Json find(Fields query) { return get(0, "/v1/find", std::move(query)); }
};

}  // namespace

TEST_CASE("a find takes its parameters within their bounds, and no others") {
  Players w;
  auto with = [&](const char* name, const char* value) {
    return w.status({{"hobby", "chess"}, {name, value}});
  };
  for (auto [name, value] : {std::pair{"_limit", "1"},
                             {"_limit", "10000"},
                             {"_timeout", "1ms"},
                             {"_timeout", "1m"},
                             {"_explain", "0"},
                             {"_explain", "1"},
                             {"_unverified", "1"},
                             {"_as", "x"}})
    CHECK_MESSAGE(with(name, value) == 200, name << "=" << value);
  for (auto [name, value] : {std::pair{"_limit", "0"},
                             {"_limit", "10001"},
                             {"_limit", "1x"},
                             {"_limit", "-1"},
                             {"_limit", ""},
                             {"_timeout", "0s"},
                             {"_timeout", "60001ms"},
                             {"_timeout", "soon"},
                             {"_explain", "2"},
                             {"_explain", "yes"},
                             {"_unverified", "2"},
                             {"_other", "1"},
                             {"_q", "hobby=chess"},
                             {"_cookie", "00"}})
    CHECK_MESSAGE(with(name, value) == 400, name << "=" << value);
  for (const char* name : {"_limit", "_explain"}) {
    Json reply = w.ask(0, "GET", "/v1/find", {{name, std::string(99, 'x')}}).body;
    CHECK(reply["detail"].text().find(std::string(30, 'x')) != std::string::npos);
    CHECK(reply["detail"].text().find(std::string(41, 'x')) == std::string::npos);
  }
  CHECK(w.status({{"_cookie", "00"}}) == 404);
  CHECK(w.status({{"_cookie", "00"}, {"_q", "hobby=chess"}}) == 400);
  CHECK(w.status({{"_cookie", "00"}, {"_unverified", "0"}}) == 400);
  CHECK(w.status({}) == 400);
  auto unreadable = w.ask(0, "GET", "/v1/find", {{"_q", "hobby=chess&shoe=4"}});
  CHECK(unreadable.status == 400);
  CHECK(unreadable.body["picture"].text().find("^^^^") != std::string::npos);
}

TEST_CASE("a find tells who was found, of which query, and what it took") {
  Players w;
  Json found = w.find({{"hobby", "chess"}, {"age", "30"}});
  CHECK(found["query"] == "age=30&hobby=chess");
  CHECK(found["complete"] == true);
  CHECK(found["limited"] == false);
  CHECK_FALSE(found.contains("cookie"));
  CHECK_FALSE(found.contains("explain"));
  CHECK(found["attributes"] == Json::array({"age", "hobby"}));
  CHECK(found["ring"] == Json{{"state", "joined"}, {"peers", 2}, {"degraded", false}});
  REQUIRE(found["people"].size() == 1);
  const Json& person = found["people"][0];
  CHECK(person["name"] == "B");
  CHECK(person["attrs"] == Json{{"hobby", "chess"}, {"age", 30}});
  CHECK(person["verified"] == true);
  CHECK(person["online"] == true);
  CHECK(person["contact"]["address"] == AskedWorld::address(1));
  CHECK(person["contact"]["host"] == w.node(1).service->ring().self().id.hex());
  CHECK(found["stats"]["asked"] == 1);
  CHECK(found["stats"]["answered"] == 1);
  CHECK(found["stats"]["candidates"] == 1);
  CHECK(found["stats"]["elapsed_ms"].get<double>() >= 2);
  Json quoted = w.find({{"_q", "name=D"}});
  CHECK(quoted["people"][0]["contact"]["sip"] == "sip:d@example.net");
  CHECK(w.find({{"name", "B C"}})["query"] == R"(name="b c")");
  CHECK(w.find({{"_q", "hobby=chess&!age=30"}})["attributes"] == Json::array({"hobby"}));
}

TEST_CASE("a search that stopped at its limit goes on with its cookie until it is over") {
  Players w;
  std::set<std::string> seen;
  Json page = w.find({{"hobby", "chess"}, {"_limit", "1"}});
  std::string cookie = page["cookie"].get<std::string>();
  CHECK(cookie.size() == 32);
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(page["query"] == "hobby=chess");
    CHECK(page["attributes"] == Json::array({"hobby"}));
    REQUIRE(page["people"].size() == 1);
    CHECK(seen.insert(page["people"][0]["id"].get<std::string>()).second);
    if (i == 2) break;
    CHECK(page["limited"] == true);
    CHECK(page["cookie"] == cookie);
    page = w.find({{"_cookie", cookie}, {"_limit", "1"}});
  }
  if (page["limited"] == true) page = w.find({{"_cookie", cookie}});
  CHECK(page["limited"] == false);
  auto over = w.ask(0, "GET", "/v1/find", {{"_cookie", cookie}});
  CHECK(over.status == 404);
  CHECK(over.body["hint"] == "Ask again from the start");
}

TEST_CASE("an explanation names the ways, the keys that were read and how many records passed") {
  Players w;
  Json explain = w.find({{"hobby", "chess"}, {"_explain", "1"}})["explain"];
  CHECK(
      explain["ways"][0] ==
      Json{{"branch", 0}, {"way", "hobby=chess"}, {"probes", 1}, {"listed", 3}, {"chosen", true}});
  REQUIRE(explain["reads"].size() == 1);
  CHECK(explain["reads"][0]["listed"] == 3);
  CHECK(explain["reads"][0]["scanned"] == 3);
  CHECK(explain["reads"][0]["passed"] == 3);
  CHECK(explain["lookups"] == 1);
  CHECK(explain["scanned"] == 3);
}

TEST_CASE("of a search every message is counted: lookups, counts, reads and confirmations") {
  Players w(40);
  w.world.run(60s);  // until the new ring has compared its records
  bool far = false;
  for (std::size_t asker = 2; asker < 12; ++asker) {
    Json found = w.get(asker, "/v1/find", {{"hobby", "chess"}, {"age", "30"}, {"_explain", "1"}});
    CAPTURE(found.dump());
    std::size_t counted = 0;
    for (const Json& way : found["explain"]["ways"]) {
      if (!way["listed"].is_null()) counted += way["probes"].get<std::size_t>();
    }
    std::size_t requests =
        counted + found["stats"]["asked"].get<std::size_t>() + found["people"].size();
    auto hops = found["explain"]["hops"].get<std::size_t>();
    far = far || hops > 0;
    CHECK(found["stats"]["messages"] == 2 * (requests + hops));
  }
  CHECK(far);
}

TEST_CASE("a stream brings each hit as it comes, the progress of a slow search, and the end") {
  Players w;
  HttpRequest request{.method = "GET", .path = "/v1/find", .query = {{"hobby", "chess"}}};
  auto events = w.stream(0, request);
  REQUIRE(events.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(events[i].first == "hit");
  CHECK(events[3].first == "done");
  CHECK(events[3].second["found"] == 3);
  CHECK(events[3].second["query"] == "hobby=chess");
  CHECK_FALSE(events[3].second.contains("people"));

  w.world.kill(AskedWorld::address(1));  // nobody has noticed yet, and its people do not answer
  request.query = {{"hobby", "chess"}, {"_timeout", "4s"}};
  events = w.stream(0, request);
  std::size_t progress = 0;
  for (const auto& [name, json] : events) {
    if (name != "progress") continue;
    ++progress;
    CHECK(json.contains("candidates"));
    CHECK(json["found"] == 0);
    CHECK_FALSE(json.contains("elapsed_ms"));
  }
  double took = events.back().second["stats"]["elapsed_ms"].get<double>();
  CHECK(progress == static_cast<std::size_t>(took / 500));
}

TEST_CASE("who is away is told with unverified, and else counted only") {
  Players w;
  w.world.kill(AskedWorld::address(1));
  w.world.run(90s);
  Json plain = w.find({{"hobby", "chess"}});
  CHECK(plain["people"].empty());
  CHECK(plain["stats"]["offline"] == 3);
  Json all = w.find({{"hobby", "chess"}, {"_unverified", "1"}});
  REQUIRE(all["people"].size() == 3);
  for (const Json& person : all["people"]) {
    CHECK(person["verified"] == false);
    CHECK(person["online"] == false);
  }
  Json page = w.find({{"hobby", "chess"}, {"_unverified", "1"}, {"_limit", "1"}});
  if (page.contains("cookie")) {
    Json next = w.find({{"_cookie", page["cookie"].get<std::string>()}});
    CHECK(next["people"].size() + page["people"].size() == 3);
  }
}

TEST_CASE("equal finds list people in the same order, whoever asks") {
  Players w;
  std::string lines;
  for (int i = 0; i < 12; ++i)
    lines += Json{{"nickname", "p" + std::to_string(i)}, {"hobby", "chess"}}.dump() + "\n";
  Json done = w.ask_text(2, "POST", "/v1/profile/import", {{"publish", "1"}}, lines).body;
  REQUIRE(done["published"] == 12);
  auto order = [&](std::size_t asker) {
    std::vector<std::string> out;
    for (const Json& person : w.get(asker, "/v1/find", {{"hobby", "chess"}})["people"])
      out.push_back(person["id"].get<std::string>());
    return out;
  };
  auto first = order(0);
  CHECK(first.size() == 15);
  for (int i = 0; i < 5; ++i) CHECK(order(0) == first);
  CHECK(order(1) == first);
}

TEST_SUITE_END();
