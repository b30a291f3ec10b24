// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/json.h"
#include "tests/world/service_world.h"

namespace beckon::test {

/// Nodes of one ring that host people, node 0 founded it; asked through their HTTP API.
class AskedWorld {
 public:
  explicit AskedWorld(std::size_t nodes, std::uint64_t seed = 1)
      : world(seed, service::ServiceWorld::With::people) {
    for (std::size_t i = 0; i < nodes; ++i) {
      auto join = i == 0 ? std::vector<std::string>{} : std::vector{address(0)};
      world.up(address(i), join, i == 0);
    }
    REQUIRE(world.run_until([&] { return world.ideal(); }, std::chrono::seconds(120)));
    world.run(std::chrono::seconds(5));
  }

  struct Reply {
    int status{};
    Json body{};
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;

  static std::string address(std::size_t i) { return fmt::format("node{}:1", i); }
  service::ServiceWorld::Node& node(std::size_t i) { return world.node(address(i)); }
  service::Hosting& people(std::size_t i) { return *node(i).hosting; }
  const service::User& me(std::size_t i) { return *people(i).users().me(); }
  std::string my_id(std::size_t i) { return me(i).id().hex(); }

  Reply ask(std::size_t i, const std::string& method, const std::string& path, Fields query = {},
            const Json& body = {}) {
    return ask_text(i, method, path, std::move(query), body.is_null() ? "" : body.dump());
  }
  Reply ask_text(std::size_t i, const std::string& method, const std::string& path, Fields query,
                 std::string body) {
    auto exchange = world.http(
        address(i),
        {.method = method, .path = path, .query = std::move(query), .body = std::move(body)});
    REQUIRE(world.run_until([&] { return node(i).status.contains(exchange); },
                            std::chrono::minutes(10)));
    return {node(i).status[exchange], json_or_null(node(i).http[exchange])};
  }
  Json get(std::size_t i, const std::string& path, Fields query = {}) {
    Reply reply = ask(i, "GET", path, std::move(query));
    CHECK(reply.status == 200);
    return reply.body;
  }
  int status_of(std::size_t i, const std::string& method, const std::string& path,
                Fields query = {}, const Json& body = {}) {
    return ask(i, method, path, std::move(query), body).status;
  }

  /// {event, data} of a stream until its `done`.
  std::vector<std::pair<std::string, Json>> stream(std::size_t i, service::HttpRequest request) {
    request.wants_stream = true;
    auto exchange = world.http(address(i), request);
    const std::string& text = node(i).http[exchange];
    REQUIRE(world.run_until([&] { return text.find("event: done\n") != std::string::npos; },
                            std::chrono::minutes(10)));
    std::vector<std::pair<std::string, Json>> out;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = text.find("\n\n", at);
      std::string part = text.substr(at, end - at);
      std::size_t data = part.find("\ndata: ");
      REQUIRE(part.starts_with("event: "));
      out.emplace_back(part.substr(7, data - 7), json_or_null(part.substr(data + 7)));
      at = end + 2;
    }
    return out;
  }

  /// The profile of node i's first user, published.
  void publish(std::size_t i, const Json& profile) {
    REQUIRE(status_of(i, "PUT", "/v1/profile", {}, profile) == 200);
    Reply done = ask(i, "POST", "/v1/profile/publish");
    REQUIRE(done.status == 200);
    REQUIRE(done.body["stored"] == done.body["records"]);
  }
  /// What another node needs to know of node i's first user.
  Json person(std::size_t i) {
    return {{"key", to_hex(me(i).key)},
            {"message_key", to_hex(hpke::public_key(me(i).message_keys.front().secret))},
            {"host", node(i).service->ring().self().id.hex()},
            {"address", address(i)}};
  }
  /// So many people whom nobody knows, as a list to write to or to call.
  static Json strangers(std::size_t count) {
    Json out = Json::array();
    for (std::size_t i = 1; i <= count; ++i) out.push_back({{"key", fmt::format("{:064x}", i)}});
    return out;
  }
  void befriend(std::size_t i, std::size_t other, const std::string& alias) {
    Json wish = person(other);
    wish["standing"] = "accepted";
    wish["alias"] = alias;
    REQUIRE(status_of(i, "PUT", "/v1/contacts/x", {}, wish) == 200);
  }

  service::ServiceWorld world;
};

}  // namespace beckon::test
