// SPDX-License-Identifier: MIT
// Calls over HTTP.
#include "tests/node/service/routes/asked_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::AskedWorld;

TEST_SUITE_BEGIN("service/call_routes");

namespace {

struct Callers : AskedWorld {
  explicit Callers(std::size_t nodes = 3) : AskedWorld(nodes) {
    publish(0, {{"name", "Ann"}, {"hobby", "chess"}});
    publish(1, {{"name", "Bob"},
                {"hobby", "chess"},
                {"sip", "sip:bob@example.net"},
                {"x-mail", "no address"}});
  }
  Reply call(std::size_t from, const Json& body) {
    return ask(from, "POST", "/v1/calls", {}, body);
  }
  Reply act(std::size_t i, const std::string& id, const Json& body) {
    return ask(i, "PATCH", "/v1/calls/" + id, {}, body);
  }
  std::string state(std::size_t i) {
    Json calls = get(i, "/v1/calls")["calls"];
    return calls.empty() ? "none" : calls[0]["state"].get<std::string>();
  }
};

}  // namespace

TEST_CASE("a call is begun, heard, taken, spoken in and hung up") {
  Callers w;
  std::string event = std::to_string(w.node(0).service->api().last_event());
  Json begun = w.call(0, {{"query", "name=Bob"}}).body;
  std::string id = begun["id"].get<std::string>();
  CHECK(begun ==
        Json{{"id", id},
             {"user", w.my_id(0)},
             {"found", 1},
             {"query", "name=bob"},
             {"event", event},
             {"state", "inviting"},
             {"caller", true},
             {"group", false},
             {"from", w.my_id(0)},
             {"members", Json::array({{{"id", w.my_id(1)},
                                       {"name", "Bob"},
                                       {"standing", "invited"},
                                       {"ways", Json::array({"sip:bob@example.net"})}}})}});
  w.world.run(1s);
  Json heard = w.get(1, "/v1/calls");
  CHECK(heard["user"] == w.my_id(1));
  CHECK(heard["event"] == std::to_string(w.node(1).service->api().last_event()));
  REQUIRE(heard["calls"].size() == 1);
  CHECK(heard["calls"][0]["state"] == "ringing");
  CHECK(heard["calls"][0]["caller"] == false);
  CHECK(heard["calls"][0]["members"][0]["name"] == "Ann");
  CHECK(w.get(1, "/v1/status")["calls"] == heard["calls"]);
  CHECK(w.act(1, id, {{"action", "say"}, {"text", "too early"}}).status == 404);
  event = std::to_string(w.node(1).service->api().last_event());
  Json taken = w.act(1, id.substr(0, 4), {{"action", "accept"}}).body;
  CHECK(taken["state"] == "active");
  CHECK(taken["user"] == w.my_id(1));
  CHECK(taken["event"] == event);
  w.world.run(1s);
  CHECK(w.state(0) == "active");
  CHECK(w.act(0, id, {{"action", "say"}, {"text", "hello"}}).status == 200);
  CHECK(w.act(0, id, {{"action", "sing"}}).status == 400);
  CHECK(w.act(0, id, Json::array()).status == 400);
  CHECK(w.act(0, id.substr(0, 3), {{"action", "hangup"}}).status == 400);
  CHECK(w.act(0, "ffffffff", {{"action", "hangup"}}).status == 404);
  CHECK(w.act(0, id, {{"action", "hangup"}}).body["why"] == "hung up");
  w.world.run(1s);
  CHECK(w.state(1) == "ended");
  CHECK(w.get(1, "/v1/calls")["calls"][0]["members"][0]["why"] == "hung up");
  CHECK(w.get(1, "/v1/status")["calls"].empty());
}

TEST_CASE("a call can be declined, and the caller is told so") {
  Callers w;
  std::string id = w.call(0, {{"to", w.person(1)}}).body["id"].get<std::string>();
  w.world.run(1s);
  CHECK(w.act(1, id, {{"action", "decline"}}).body["state"] == "ended");
  w.world.run(1s);
  CHECK(w.get(0, "/v1/calls")["calls"][0]["why"] == "declined");
}

TEST_CASE("a call to nobody, or to more people than allowed, is not begun") {
  Callers w;
  for (const Json& body :
       {Json{{"query", "hobby=go"}}, Json{{"query", "hobby=go"}, {"all", true}}}) {
    Json none = w.call(2, body).body;
    CHECK(none == Json{{"id", nullptr}, {"user", w.my_id(2)}, {"found", 0}, {"query", "hobby=go"}});
  }
  Json many = w.call(2, {{"query", "hobby=chess"}}).body;
  CHECK(many["id"].is_null());
  CHECK(many["found"] == 2);
  CHECK(w.state(2) == "none");
  Json group = w.call(2, {{"query", "hobby=chess"}, {"all", true}}).body;
  CHECK(group["group"] == true);
  CHECK(group["members"].size() == 2);
  CHECK(w.call(2, {{"to", w.person(0)}}).status == 409);  // in a call already
  CHECK(w.call(2, Json::array()).status == 400);
  CHECK(w.call(2, {{"to", AskedWorld::strangers(63)}}).body["found"] == 63);
  CHECK(w.call(2, {{"to", AskedWorld::strangers(64)}}).status == 400);
  CHECK(w.call(2, {{"query", "shoe=4"}}).status == 400);
  CHECK(w.call(2, {{"query", "hobby=chess"}, {"most", 0}}).status == 400);
  CHECK(w.ask_text(2, "POST", "/v1/calls", {}, "x").status == 400);
  CHECK(w.status_of(2, "GET", "/v1/calls", {{"_as", "nobody"}}) == 404);
  CHECK(w.status_of(2, "POST", "/v1/calls", {{"_as", "nobody"}}, {{"to", "x"}}) == 404);
}

TEST_SUITE_END();
