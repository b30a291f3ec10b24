// SPDX-License-Identifier: MIT
#include "node/service/api/api.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "node/service/api/metrics.h"

using namespace beckon;
using namespace beckon::service;

namespace {

HttpRequest get(std::string path) { return {.method = "GET", .path = std::move(path)}; }

/// The one complete reply among the parts.
HttpReply only_reply(Api& api) {
  auto parts = api.take();
  REQUIRE(parts.size() == 1);
  REQUIRE(std::holds_alternative<HttpReply>(parts[0].part));
  return std::get<HttpReply>(parts[0].part);
}

std::string stream_text(Api& api, ExchangeId exchange) {
  std::string out;
  for (const HttpPart& part : api.take()) {
    if (part.exchange != exchange) continue;
    if (const auto* data = std::get_if<StreamData>(&part.part)) out += data->text;
    if (std::holds_alternative<StreamBegin>(part.part)) out += "<begin>";
    if (std::holds_alternative<StreamEnd>(part.part)) out += "<end>";
  }
  return out;
}

}  // namespace

TEST_SUITE("service/api") {
  TEST_CASE("figures are told to the last digit while they are whole, and rounded otherwise") {
    double value = 0;
    Metrics metrics;
    metrics.counter("sent_total", "frames sent", [&] { return value; });
    metrics.gauge("load", "work under way", [] { return 0.25; });
    for (auto [what, text] : {std::pair{1234567.0, "1234567"},
                              {8999999999999999.0, "8999999999999999"},
                              {-3.0, "-3"},
                              {9e15, "9e+15"},
                              {1.0 / 3, "0.333333333"}}) {
      value = what;
      CHECK(metrics.json() == std::string(R"({"sent_total":)") + text + R"(,"load":0.25})");
    }
    value = 7;
    CHECK(metrics.prometheus() ==
          "# HELP beckon_sent_total frames sent\n# TYPE beckon_sent_total counter\n"
          "beckon_sent_total 7\n"
          "# HELP beckon_load work under way\n# TYPE beckon_load gauge\nbeckon_load 0.25\n");
  }

  TEST_CASE("each kind of error has its status and its title") {
    Error error;
    Api api;
    api.route("GET", "/v1/it", [&](const ApiRequest&, Answer answer) { answer.problem(error); });
    struct Case {
      ErrorCode code;
      int status;
      const char* title;
    };
    for (const Case& c :
         {Case{ErrorCode::invalid, 400, "Bad request"},
          Case{ErrorCode::not_found, 404, "Not found"}, Case{ErrorCode::refused, 403, "Refused"},
          Case{ErrorCode::unavailable, 503, "Not possible now"},
          Case{ErrorCode::conflict, 409, "Conflict"},
          Case{ErrorCode::internal, 500, "Internal error"}}) {
      error = {c.code, "why"};
      api.handle(1, get("/v1/it"));
      HttpReply reply = only_reply(api);
      CHECK(reply.status == c.status);
      Json body = json_or_null(reply.body);
      CHECK(body["status"] == c.status);
      CHECK(body["title"] == c.title);
      CHECK(body["detail"] == "why");
    }
  }

  TEST_CASE("who works for an asker hears when it has gone, and not after it was answered") {
    Api api;
    int stopped = 0;
    std::optional<Answer> kept;
    api.route("GET", "/v1/long", [&](const ApiRequest&, Answer answer) {
      answer.when_gone([&] { ++stopped; });
      kept = answer;
    });
    api.handle(1, get("/v1/long"));
    api.closed(1);
    CHECK(stopped == 1);
    api.closed(1);
    CHECK(stopped == 1);
    api.handle(2, get("/v1/long"));
    kept->json({});
    api.closed(2);
    CHECK(stopped == 1);
  }

  TEST_CASE("a request reaches the handler of its path and method, with its parameters") {
    Api api;
    api.route("GET", "/v1/calls/{id}", [](const ApiRequest& request, Answer answer) {
      answer.json({{"id", request.path.at("id")}, {"q", request.query("x").value_or("none")}});
    });
    HttpRequest request = get("/v1/calls/7");
    request.query = {{"x", "1"}, {"x", "2"}};
    api.handle(1, request);
    HttpReply reply = only_reply(api);
    CHECK(reply.status == 200);
    CHECK(reply.body == "{\"id\":\"7\",\"q\":\"1\"}\n");
    CHECK(api.open_exchanges() == 0);
  }

  TEST_CASE("an unknown path is 404 and a wrong method 405 with what is allowed") {
    Api api;
    api.route("GET", "/v1/x", [](const ApiRequest&, Answer answer) { answer.json({}); });
    api.route("PUT", "/v1/x", [](const ApiRequest&, Answer answer) { answer.json({}); });
    api.handle(1, get("/v1/y"));
    HttpReply missing = only_reply(api);
    CHECK(missing.status == 404);
    CHECK(missing.type == "application/problem+json");
    auto problem = json_or_null(missing.body);
    for (const char* field : {"type", "title", "status", "detail", "hint"})
      CHECK(problem.contains(field));
    api.handle(2, {.method = "DELETE", .path = "/v1/x"});
    HttpReply wrong = only_reply(api);
    CHECK(wrong.status == 405);
    CHECK(wrong.allow == "GET, PUT");
  }

  TEST_CASE("an answer may come later, once, and to nobody after the asker has gone") {
    Api api;
    std::vector<Answer> kept;
    api.route("GET", "/later", [&](const ApiRequest&, Answer answer) { kept.push_back(answer); });
    api.handle(1, get("/later"));
    api.handle(2, get("/later"));
    CHECK(api.take().empty());
    api.closed(2);
    CHECK_FALSE(kept[1].open());
    kept[1].json({{"late", true}});
    CHECK(api.take().empty());
    kept[0].json({{"n", 1}});
    kept[0].json({{"n", 2}});
    CHECK(only_reply(api).body == "{\"n\":1}\n");
  }

  TEST_CASE("events are streamed in order, and a listener resumes after the last it has seen") {
    Api api;
    api.publish({"ring", "{\"n\":1}"});
    api.handle(1, get("/v1/events"));
    CHECK(stream_text(api, 1) == "<begin>");
    api.publish({"ring", "{\"n\":2}"});
    CHECK(stream_text(api, 1) == "id: 2\nevent: ring\ndata: {\"n\":2}\n\n");
    api.closed(1);
    api.publish({"ring", "{\"n\":3}"});
    CHECK(api.take().empty());
    HttpRequest again = get("/v1/events");
    again.last_event_id = "2";
    api.handle(2, again);
    CHECK(stream_text(api, 2) == "<begin>id: 3\nevent: ring\ndata: {\"n\":3}\n\n");
  }

  TEST_CASE("a listener that was away too long is told of the gap first") {
    Api api({.kept_events = 2});
    for (int i = 0; i < 5; ++i) api.publish({"ring", "{}"});
    HttpRequest request = get("/v1/events");
    request.last_event_id = "1";
    api.handle(1, request);
    CHECK(stream_text(api, 1).find("<begin>id: 3\nevent: gap\ndata: {\"lost\":2}\n\nid: 4\n") == 0);
  }

  TEST_CASE("a problem after the stream began ends the stream and says so") {
    Api api;
    api.route("GET", "/s", [](const ApiRequest&, Answer answer) {
      answer.begin_stream();
      answer.event({"hit", "{}"});
      answer.problem({ErrorCode::unavailable, "gone"});
      answer.event({"hit", "{}"});
    });
    api.handle(1, get("/s"));
    std::string text = stream_text(api, 1);
    CHECK(text.find("<begin>event: hit\ndata: {}\n\nevent: error\ndata: {") == 0);
    CHECK(text.find("\n\n<end>") == text.size() - 7);
  }

  TEST_CASE("too many open exchanges and too many parameters are refused") {
    Api api({.max_exchanges = 1});
    api.route("GET", "/later", [](const ApiRequest&, Answer) {});
    api.handle(1, get("/later"));
    api.handle(2, get("/later"));
    CHECK(only_reply(api).status == 503);
    CHECK(api.open_exchanges() == 1);
    Api other;
    HttpRequest many = get("/v1/events");
    many.query.resize(65);
    other.handle(1, many);
    CHECK(only_reply(other).status == 400);
  }
}
