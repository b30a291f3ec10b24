// SPDX-License-Identifier: MIT
// Messages, contacts and policies over HTTP.
#include <set>

#include "base/person_address.h"
#include "tests/node/service/routes/asked_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::AskedWorld;

TEST_SUITE_BEGIN("service/message_routes");

namespace {

struct Letters : AskedWorld {
  explicit Letters(std::size_t nodes = 3) : AskedWorld(nodes) {}

  Reply post(std::size_t from, const Json& body) {
    return ask(from, "POST", "/v1/messages", {}, body);
  }
  Json send(std::size_t from, std::size_t to, const std::string& text) {
    Reply reply = post(from, {{"to", person(to)}, {"text", text}});
    CHECK(reply.status == 200);
    return reply.body;
  }
  Json inbox(std::size_t i, Fields query = {}) { return get(i, "/v1/messages", std::move(query)); }
  std::vector<std::string> texts(const Json& list) {
    std::vector<std::string> out;
    for (const Json& message : list) out.push_back(message["text"].get<std::string>());
    return out;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a letter of a stranger is a request, and of a contact a message that is unread") {
  Letters w;
  w.publish(0, {{"name", "Ann"}});
  Json sent = w.send(0, 1, "hello");
  CHECK(sent["delivered"] == 1);
  CHECK(sent["found"] == 1);
  CHECK(sent["to"] == Json::array({{{"user", w.my_id(1)}, {"name", ""}, {"state", "delivered"}}}));
  CHECK_FALSE(sent.contains("query"));
  Json asked = w.inbox(1);
  CHECK(asked["user"] == w.my_id(1));
  CHECK(asked["messages"].empty());
  REQUIRE(asked["requests"].size() == 1);
  CHECK(asked["requests"][0]["from"] == Json{{"id", w.my_id(0)}, {"name", "Ann"}, {"alias", ""}});
  CHECK(asked["requests"][0]["request"] == true);
  CHECK(asked["event"] == std::to_string(w.node(1).service->api().last_event()));
  CHECK(w.get(1, "/v1/status")["inbox"] == Json{{"unread", 0}, {"requests", 1}});

  auto contact = w.ask(1, "PUT", "/v1/contacts/" + w.my_id(0).substr(0, 6), {},
                       {{"standing", "accepted"}, {"alias", "ann"}});
  CHECK(contact.body ==
        Json{{"id", w.my_id(0)}, {"alias", "ann"}, {"name", "Ann"}, {"standing", "accepted"}});
  w.send(0, 1, "again");
  Json taken = w.inbox(1);
  CHECK(w.texts(taken["messages"]) == Texts{"hello", "again"});
  CHECK(taken["requests"].empty());
  CHECK(taken["messages"][0]["from"]["alias"] == "ann");
  CHECK(w.get(1, "/v1/status")["inbox"] == Json{{"unread", 2}, {"requests", 0}});
  CHECK(w.inbox(1, {{"requests", "1"}})["messages"].empty());
  CHECK(w.texts(w.inbox(1, {{"since", "1"}})["messages"]) == Texts{"again"});
  CHECK(w.texts(w.inbox(1, {{"with", "ann"}})["messages"]) == Texts{"hello", "again"});
  CHECK(w.inbox(1, {{"with", std::string(64, 'a')}})["messages"].empty());
  CHECK(w.status_of(1, "GET", "/v1/messages", {{"since", "x"}}) == 400);
  CHECK(w.status_of(1, "GET", "/v1/messages", {{"with", "nobody"}}) == 404);
  CHECK(w.status_of(1, "GET", "/v1/messages", {{"_as", "nobody"}}) == 404);
}

TEST_CASE("one message is shown whole, and marked as read alone or with all before it") {
  Letters w;
  w.befriend(1, 0, "ann");
  for (const char* text : {"a", "b", "c", "d"}) w.send(0, 1, text);
  CHECK(w.get(1, "/v1/messages/2")["text"] == "b");
  CHECK(w.get(1, "/v1/messages/2")["from"]["alias"] == "ann");
  CHECK(w.status_of(1, "GET", "/v1/messages/9") == 404);
  CHECK(w.status_of(1, "GET", "/v1/messages/2x") == 400);
  std::string wrong = w.ask(1, "GET", "/v1/messages/" + std::string(99, 'x')).body["detail"].text();
  CHECK(wrong.find(std::string(30, 'x')) != std::string::npos);
  CHECK(wrong.find(std::string(41, 'x')) == std::string::npos);
  auto unread = [&](const Json& body) { return w.ask(1, "POST", "/v1/messages/read", {}, body); };
  CHECK(unread({{"id", "3"}}).body == Json{{"unread", 3}});
  CHECK(w.get(1, "/v1/messages/3")["unread"] == false);
  CHECK(w.get(1, "/v1/messages/2")["unread"] == true);
  CHECK(unread({{"upto", "2"}}).body == Json{{"unread", 1}});
  CHECK(w.get(1, "/v1/messages/4")["unread"] == true);
  CHECK(unread({{"upto", 2}}).status == 400);
  CHECK(unread({{"upto", "x"}}).status == 400);
  CHECK(unread(Json::array()).status == 400);
  w.send(2, 1, std::string(161, 'x'));
  Json request = w.inbox(1)["requests"][0];
  CHECK(request["text"].text().size() == 160);
  CHECK(request["cut"] == true);
  CHECK(w.get(1, "/v1/messages/5")["text"].text().size() == 161);
}

TEST_CASE("what was sent is listed in order, to one person if asked") {
  Letters w;
  w.befriend(0, 1, "bob");
  CHECK(w.post(0, {{"to", "bob"}, {"text", "one"}}).body["delivered"] == 1);
  w.world.run(1s);
  w.send(0, 2, "two");
  w.world.run(1s);
  CHECK(w.post(0, {{"to", Json::array({"bob", "bob"})}, {"text", "three"}}).body["found"] == 1);
  CHECK_FALSE(w.inbox(0).contains("sent"));
  Json sent = w.inbox(0, {{"sent", "1"}})["sent"];
  CHECK(w.texts(sent) == Texts{"one", "two", "three"});
  CHECK(sent[0]["time"].text().size() == 24);
  CHECK(w.texts(w.inbox(0, {{"sent", "1"}, {"with", "bob"}})["sent"]) == Texts{"one", "three"});
  CHECK(w.inbox(1, {{"sent", "1"}})["sent"].empty());
}

TEST_CASE("a message that cannot be understood is refused, and nothing is sent") {
  Letters w;
  for (const Json& extra :
       {Json{{"to", nullptr}}, Json{{"to", Json::array()}}, Json{{"to", Json::array({7})}},
        Json{{"to", Json::object()}}, Json{{"query", 7}}, Json{{"query", "shoe=4"}},
        Json{{"query", "hobby=chess"}, {"to", "x"}}, Json::object(),
        Json{{"query", "hobby=chess"}, {"all", 1}}, Json{{"query", "hobby=chess"}, {"most", 0}},
        Json{{"query", "hobby=chess"}, {"most", "1"}}, Json{{"query", "hobby=chess"}, {"wait", 1}},
        Json{{"query", "hobby=chess"}, {"timeout", 1}},
        Json{{"query", "hobby=chess"}, {"timeout", "0s"}},
        Json{{"query", "hobby=chess"}, {"timeout", "3601s"}},
        Json{{"query", "hobby=chess"}, {"timeout", "soon"}}}) {
    CAPTURE(extra.dump());
    Json body{{"text", "x"}};
    body.update(extra);
    CHECK(w.post(0, body).status == 400);
  }
  CHECK(w.post(0, {{"to", w.strangers(5000)}, {"text", "x"}}).body["found"] == 5000);
  CHECK(w.post(0, {{"to", w.strangers(5001)}, {"text", "x"}}).status == 400);
  CHECK(w.post(0, {{"to", w.person(1)}}).status == 400);
  CHECK(w.post(0, {{"to", w.person(1)}, {"text", 7}}).status == 400);
  CHECK(w.post(0, Json::array()).status == 400);
  CHECK(w.post(0, {{"to", "nobody"}, {"text", "x"}}).status == 404);
  CHECK(w.post(0, {{"to", "abcdef"}, {"text", "x"}}).status == 404);
  CHECK(w.post(0, {{"query", "shoe=4"}, {"text", "x"}}).body["picture"].text().find('^') !=
        std::string::npos);
  CHECK(w.post(0, {{"query", "hobby=chess"}, {"text", "x"}, {"timeout", "1h"}}).status == 200);
  CHECK(w.inbox(0, {{"sent", "1"}})["sent"].empty());
}

TEST_CASE("a query reaches one person, and more only if the sender allows as many") {
  Letters w;
  std::string lines = "{\"name\":\"B\",\"hobby\":\"chess\"}\n{\"name\":\"C\",\"hobby\":\"chess\"}";
  w.ask_text(1, "POST", "/v1/profile/import", {{"publish", "1"}}, lines);
  w.publish(0, {{"name", "Ann"}, {"hobby", "chess"}});  // nobody means oneself
  auto post = [&](const Json& extra) {
    Json body{{"query", "hobby=chess"}, {"text", "x"}};
    body.update(extra);
    return w.post(0, body).body;
  };
  for (const Json& too_few : {Json::object(), Json{{"most", 1}}, Json{{"all", false}}}) {
    Json none = post(too_few);
    CHECK(none["id"].is_null());
    CHECK(none["found"] == 2);
    CHECK(none["query"] == "hobby=chess");
    CHECK(none["complete"] == true);
    CHECK(none["unconfirmed"] == 0);
    CHECK(none["delivered"] == 0);
  }
  for (const Json& enough : {Json{{"most", 2}}, Json{{"all", true}}}) {
    Json all = post(enough);
    CHECK(all["delivered"] == 2);
    CHECK(all["id"].text().size() == 32);
    std::set<std::string> names;
    for (const Json& to : all["to"]) names.insert(to["name"].get<std::string>());
    CHECK(names == std::set<std::string>{"B", "C"});
  }
  std::string b = w.get(1, "/v1/find", {{"name", "B"}})["people"][0]["id"].get<std::string>();
  Json got = w.inbox(1, {{"_as", b}})["requests"];
  REQUIRE(got.size() == 2);
  CHECK(got[0]["group"] == true);
  CHECK(got[0]["thread"] == got[1]["thread"]);
  Json one = w.post(0, {{"query", "name=B"}, {"text", "only you"}}).body;
  CHECK(one["delivered"] == 1);
  CHECK(w.inbox(1, {{"_as", b}})["requests"][2]["group"] == false);
}

TEST_CASE("somebody known by the key alone is reached where the ring says they are") {
  Letters w(5);
  w.send(1, 2, "so that an answer finds its way");
  w.world.run(10s);
  Json sent = w.post(0, {{"to", to_hex(w.me(1).key)}, {"text", "found you"}}).body;
  CHECK(sent["delivered"] == 1);
  CHECK(w.texts(w.inbox(1)["requests"]) == Texts{"found you"});
}

TEST_CASE("somebody published and never found or written to is reached by the address") {
  Letters w(5);
  w.publish(3, {{"name", "Ann"}, {"hobby", "chess"}});
  w.world.run(10s);
  std::string address = w.get(3, "/v1/profile")["address"].get<std::string>();
  Json sent = w.post(0, {{"to", address}, {"text", "by your card"}}).body;
  CHECK(sent["delivered"] == 1);
  CHECK(w.texts(w.inbox(3)["requests"]) == Texts{"by your card"});
}

TEST_CASE("an address that was mistyped or is of another overlay is refused with the reason") {
  Letters w(2);
  std::string address = w.get(1, "/v1/profile")["address"].get<std::string>();
  char& last = address.back();
  last = last == 'q' ? 'p' : 'q';
  auto mistyped = w.post(0, {{"to", address}, {"text", "x"}});
  CHECK(mistyped.status == 400);
  CHECK(mistyped.body["detail"].text().find("not copied or typed correctly") != std::string::npos);

  PersonAddress foreign{.key = w.me(1).key, .overlay = {1, 2, 3, 4}};
  auto elsewhere = w.post(0, {{"to", to_text(foreign)}, {"text", "x"}});
  CHECK(elsewhere.status == 400);
  CHECK(elsewhere.body["detail"].text().find("another overlay") != std::string::npos);
}

TEST_CASE("an answer comes when a letter is on its way, and with wait when it has arrived") {
  Letters w(4);
  Json away = w.person(1);
  w.world.kill(AskedWorld::address(1));
  w.world.run(30s);
  Json kept = w.post(0, {{"to", away}, {"text", "x"}}).body;
  CHECK(kept["kept"] == 1);
  CHECK(kept["elapsed_ms"].get<double>() < 30'000);
  Time before = w.world.now().mono;
  Json waited = w.post(0, {{"to", away}, {"text", "x"}, {"wait", true}, {"timeout", "50s"}}).body;
  CHECK(waited["delivered"] == 0);
  CHECK(w.world.now().mono - before >= 50s);
  CHECK(w.world.now().mono - before <= 50s + 300ms);
  before = w.world.now().mono;
  CHECK(w.post(0, {{"to", away}, {"text", "x"}, {"wait", true}}).body["delivered"] == 0);
  CHECK(w.world.now().mono - before >= 60s);
  CHECK(w.world.now().mono - before <= 60s + 300ms);
  Json body{{"to", away}, {"text", "x"}, {"wait", true}, {"timeout", "20s"}};
  auto events = w.stream(0, {.method = "POST", .path = "/v1/messages", .body = body.dump()});
  REQUIRE(events.size() >= 2);
  CHECK(events.front().first == "progress");
  CHECK(events.front().second["to"] == 1);
  CHECK(events.back().first == "done");
  CHECK(events.back().second["delivered"] == 0);
  CHECK(events.size() < 20);  // only when something has changed
}

TEST_CASE("who hangs up while a letter is under way leaves nothing behind") {
  Letters w(3);
  Json away = w.person(1);
  w.world.kill(AskedWorld::address(1));
  w.world.run(30s);
  Json body{{"to", away}, {"text", "x"}, {"wait", true}, {"timeout", "1h"}};
  auto exchange = w.world.http(AskedWorld::address(0),
                               {.method = "POST", .path = "/v1/messages", .body = body.dump()});
  w.world.run(2s);
  CHECK(w.node(0).service->api().open_exchanges() == 1);
  w.world.hang_up(AskedWorld::address(0), exchange);
  w.world.run(2s);
  CHECK(w.node(0).service->api().open_exchanges() == 0);
  CHECK(w.inbox(0, {{"sent", "1"}})["sent"].size() == 1);
}

TEST_CASE("contacts change by alias, id or key, and a blocked one's requests are gone") {
  Letters w;
  w.send(0, 1, "hello");
  w.send(2, 1, "hello from another");
  auto put = [&](const std::string& who, const Json& change) {
    return w.ask(1, "PUT", "/v1/contacts/" + who, {}, change);
  };
  CHECK(put(w.my_id(0), {{"standing", "blocked"}}).body["standing"] == "blocked");
  CHECK(w.inbox(1)["requests"].size() == 1);
  CHECK(put(to_hex(w.me(2).key), {{"standing", "accepted"}, {"alias", "two"}}).status == 200);
  CHECK(w.texts(w.inbox(1)["messages"]) == Texts{"hello from another"});
  CHECK(put("two", {{"alias", "zwei"}}).body["alias"] == "zwei");
  CHECK(put("two", {{"alias", "x"}}).status == 404);
  Json all = w.get(1, "/v1/contacts");
  CHECK(all["user"] == w.my_id(1));
  CHECK(all["policy"] == "everyone");
  CHECK(all["contacts"].size() == 2);
  for (const Json& bad : {Json::object(), Json::array(), Json{{"standing", "friend"}},
                          Json{{"alias", 7}}, Json{{"alias", ""}}, Json{{"key", "ab"}}})
    CHECK_MESSAGE(put("zwei", bad).status == 400, bad.dump());
  Json self = w.person(1);
  self["standing"] = "accepted";
  CHECK(put("x", self).status == 400);
  CHECK(put(w.my_id(0).substr(0, 5), {{"standing", "accepted"}}).status == 404);
  Json twice = w.person(0);
  twice["alias"] = "zwei";
  CHECK(put("x", twice).status == 409);
}

TEST_CASE("a person is given by its key, and everything else about it within its bounds") {
  Letters w;
  auto status = [&](const Json& change) {
    Json body = w.person(1);
    body.update(change);
    return w.post(0, {{"to", body}, {"text", "x"}}).status;
  };
  auto with = [&](const char* name, const std::string& value) {
    Json change = Json::object();
    change[name] = value;
    return status(change);
  };
  auto some = [](std::size_t size, char what) { return std::string(size, what); };
  CHECK(status(Json::object()) == 200);
  CHECK(with("name", some(1024, 'n')) == 200);
  CHECK(with("name", some(1025, 'n')) == 400);
  CHECK(status({{"name", 7}}) == 400);
  for (const std::string& key :
       {some(0, 'a'), some(64, '0'), some(62, 'a'), some(64, 'g'), some(66, 'a')})
    CHECK_MESSAGE(with("key", key) == 400, key);
  Json longer = w.person(1);
  longer["key"] = some(65, 'a');
  CHECK(w.post(0, {{"to", longer}, {"text", "x"}}).body["detail"] ==
        "'key' must be a text of at most 64 bytes");
  CHECK(with("message_key", "ab") == 400);
  CHECK(with("host", "ab") == 400);
  CHECK(with("address", some(chord::max_address_size + 1, 'a')) == 400);
  Json long_name = w.person(1);
  std::string name = some(Letter::max_name - 1, 'n');
  long_name["name"] = fmt::format("{}ë", name);
  Json sent = w.post(0, {{"to", long_name}, {"text", "x"}}).body;
  CHECK(sent["to"][0]["name"] == name);
}

TEST_CASE("a user's policy is set and told by its name") {
  Letters w;
  for (const char* policy : {"contacts", "nobody", "everyone"}) {
    Json wanted{{"user", w.my_id(0)}, {"policy", policy}};
    CHECK(w.ask(0, "PUT", "/v1/policy", {}, {{"policy", policy}}).body == wanted);
    CHECK(w.get(0, "/v1/policy") == wanted);
    CHECK(w.get(0, "/v1/contacts")["policy"] == policy);
  }
  for (const Json& bad :
       {Json{{"policy", "all"}}, Json{{"policy", 1}}, Json::object(), Json::array()})
    CHECK(w.status_of(0, "PUT", "/v1/policy", {}, bad) == 400);
  CHECK(w.ask_text(0, "PUT", "/v1/policy", {}, "x").status == 400);
  CHECK(w.status_of(0, "PUT", "/v1/policy", {{"_as", "nobody"}}, {{"policy", "nobody"}}) == 404);
  CHECK(w.status_of(0, "GET", "/v1/policy", {{"_as", "nobody"}}) == 404);
}

TEST_SUITE_END();
