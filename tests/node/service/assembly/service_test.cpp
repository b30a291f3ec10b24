// SPDX-License-Identifier: MIT
#include "node/service/assembly/service.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/json.h"
#include "chord/wire.h"
#include "tests/world/service_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

namespace {

using State = Membership::State;

std::string name(int i) { return "10.0.0." + std::to_string(i) + ":4290"; }

/// `count` nodes in one ring.
std::unique_ptr<ServiceWorld> ring_of(int count, std::uint64_t seed = 1) {
  auto world = std::make_unique<ServiceWorld>(seed);
  for (int i = 1; i <= count; ++i) {
    world->up(name(i), i == 1 ? std::vector<std::string>{} : std::vector{name(1)});
  }
  CHECK(world->run_until([&] { return world->ideal(); }, 60s));
  return world;
}

Json get(ServiceWorld& world, const std::string& at, const std::string& path,
         std::vector<std::pair<std::string, std::string>> query = {}) {
  auto exchange = world.http(at, {.method = "GET", .path = path, .query = std::move(query)});
  CHECK(world.run_until([&] { return world.node(at).http.contains(exchange); }, 30s));
  return json_or_null(world.node(at).http[exchange]);
}

}  // namespace

TEST_SUITE("service/service") {
  TEST_CASE("a node without peers founds a ring of one, and the next joins it") {
    ServiceWorld world;
    world.up(name(1), {});
    CHECK(world.run_until(
        [&] { return world.node(name(1)).service->membership().state() == State::joined; }, 1s));
    CHECK(world.node(name(1)).service->membership().founded());
    world.up(name(2), {name(1)});
    CHECK(world.run_until([&] { return world.ideal(); }, 20s));
    CHECK_FALSE(world.node(name(2)).service->membership().founded());
  }

  TEST_CASE("the log tells of a neighbour that is gone and of one that joins") {
    auto world = ring_of(2);
    std::string peer = Id::of_digest(sha256(as_bytes(name(2)))).brief();
    std::vector<std::string>& log = world->node(name(1)).log;
    auto told = [&](const std::string& part) {
      return std::ranges::any_of(
          log, [&](const std::string& line) { return line.find(part) != std::string::npos; });
    };
    CHECK(told("link up peer=" + peer + " address=" + name(2)));
    CHECK(told("successor changed from=none to=" + peer));
    CHECK(
        told("predecessor changed from=none to=" + peer + " address=" + name(2) + " cause=joined"));
    world->run(10s);
    CHECK(told("comparison of records ended peer=" + peer + " outcome=agreed"));
    CHECK(told("repair of records ended"));
    log.clear();
    world->run(60s);
    CHECK_FALSE(told("changed"));  // nothing did
    CHECK_FALSE(told("repair"));

    log.clear();
    world->kill(name(2));
    world->run(30s);
    CHECK(told("link down peer=" + peer + " reason="));
    CHECK(told("a peer cannot be dialled peer=" + peer + " address=" + name(2) + " reason="));
    CHECK(told("a peer counts as dead peer=" + peer));
    CHECK(told("predecessor changed from=" + peer + " to=none address=none cause=gone"));
    CHECK(told("successor changed from=" + peer + " to=none address=none cause=gone"));
    CHECK(told("this node is alone"));
    CHECK(told("known=1"));
    CHECK_FALSE(told("no longer alone"));

    log.clear();
    world->up(name(2), {});
    CHECK(world->run_until([&] { return world->ideal(); }, 60s));
    CHECK(told("this node is no longer alone successor=" + peer));
    world->down(name(2));
    world->run(5s);
    CHECK(told("a peer says that it leaves peer=" + peer));
    const auto& leaver = world->node(name(2)).log;
    CHECK(std::ranges::count(leaver, "handing over records before leaving") == 1);
    CHECK(std::ranges::count(leaver, "records were handed over") == 1);
  }

  TEST_CASE("a restarted node comes back through the peers it remembers") {
    auto world = ring_of(3);
    world->run(2s);
    world->kill(name(3));
    CHECK(world->run_until([&] { return world->ideal(); }, 30s));
    world->up(name(3), {});
    CHECK(world->run_until([&] { return world->ideal(); }, 30s));
    CHECK(world->node(name(3)).service->epoch() == 2);
    CHECK_FALSE(world->node(name(3)).service->membership().founded());
  }

  TEST_CASE("a node that had peers founds no second ring while they are silent") {
    auto world = ring_of(3);
    world->run(2s);
    for (int i = 1; i <= 3; ++i) world->kill(name(i));
    world->up(name(2), {});
    world->run(120s);
    CHECK(world->node(name(2)).service->membership().state() == State::joining);
    world->kill(name(2));
    world->up(name(2), {}, true);
    world->run(1s);
    CHECK(world->node(name(2)).service->membership().state() == State::joined);
  }

  TEST_CASE("when all nodes are restarted at once, they find one ring again") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(seed);
      auto world = ring_of(6, seed);
      world->run(3s);
      for (int i = 1; i <= 6; ++i) world->kill(name(i));
      for (int i = 1; i <= 6; ++i) world->up(name(i), {});
      CHECK(world->run_until([&] { return world->ideal(); }, 120s));
    }
  }

  TEST_CASE("a leaving node is gone from the ring without waiting for time-outs") {
    auto world = ring_of(4);
    world->run(2s);
    world->down(name(2));
    CHECK(world->run_until([&] { return world->node(name(2)).finished; }, 15s));
    CHECK(world->run_until([&] { return world->ideal(); }, 10s));
  }

  TEST_CASE("a storm of ring messages from one peer is answered at its rate and moves nobody") {
    auto world = ring_of(5);
    const chord::RingNode& victim = world->node(name(1)).service->ring();
    // Whoever notifies and is not the predecessor makes the victim ask after that one.
    std::string before = victim.predecessor()->address;
    std::string attacker = before == name(5) ? name(4) : name(5);
    std::vector<chord::Message> storm = {chord::StateRequest{}, chord::Notify{},
                                         chord::NextRequest{}, chord::Ping{.nonce = 1}};
    std::size_t answered = 0, refused = 0, pings = 0;
    world->tap = [&](const std::string& from, const Frame& frame) {
      if (from != name(1)) return;
      auto type = static_cast<chord::MessageType>(frame.type);
      if (frame.peer.address == before && type == chord::MessageType::ping) ++pings;
      bool ours = frame.peer.address == attacker && frame.request == 1;
      if (ours) ++(type == chord::MessageType::error ? refused : answered);
    };
    constexpr int seconds = 5;
    for (int ms = 0; ms < 1000 * seconds; ++ms) {
      for (std::size_t i = 0; i < 12; ++i) {  // 12 000 a second
        const chord::Message& message = storm[i % storm.size()];
        world->inject(attacker, {.peer = victim.self(),
                                 .type = static_cast<std::uint8_t>(chord::type_of(message)),
                                 .request = 1,
                                 .body = chord::encode(message)});
      }
      world->run(1ms);
    }
    const chord::Options& limits = victim.options();
    double per_second = limits.state_rate + limits.next_rate + limits.ping_rate;
    CHECK(static_cast<double>(answered) <= per_second * (seconds + 2) + 100);
    CHECK(static_cast<double>(pings) <= limits.notify_rate * (seconds + 2) + 2 * seconds);
    CHECK(refused > 0);
    CHECK(world->ideal());
    CHECK(victim.predecessor()->address == before);
    CHECK(get(*world, name(2), "/v1/net/trace", {{"key", "chess"}})["owner"].is_object());
  }

  TEST_CASE("status and net answer in the shapes that scripts rely on") {
    auto world = ring_of(3);
    world->run(3s);
    Json status = get(*world, name(1), "/v1/status");
    CHECK(status["node"]["state"] == "joined");
    CHECK(status["node"]["listen"] == name(1));
    CHECK(status["ring"]["successors"].size() == 2);
    CHECK(status["ring"]["successors"][0].contains("address"));
    CHECK(status["ring"]["predecessor"].is_string());
    CHECK(status["users"].is_array());
    CHECK(status["inbox"]["unread"] == 0);
    Json ring = get(*world, name(1), "/v1/net/ring");
    CHECK(ring["self"] == status["node"]["id"]);
    CHECK(ring["successors"][1]["id"] == ring["predecessor"]);
    CHECK(get(*world, name(1), "/v1/net/peers")["peers"].size() == 2);
    CHECK(get(*world, name(1), "/v1/net/stats")["ring_joined"] == 1);
  }

  TEST_CASE("ping measures a peer, and trace finds who owns a key") {
    auto world = ring_of(3);
    world->run(3s);
    std::string other = get(*world, name(1), "/v1/net/ring")["predecessor"].text();
    Json ping = get(*world, name(1), "/v1/net/ping", {{"node", other.substr(0, 8)}});
    CHECK(ping["id"] == other);
    CHECK(ping["round_trip_ms"] == 2.0);
    Json trace = get(*world, name(1), "/v1/net/trace", {{"key", other}});
    CHECK(trace["owner"]["id"] == other);
    CHECK(trace["outcome"] == "found");
    CHECK(get(*world, name(1), "/v1/net/ping", {{"node", "nobody"}})["status"] == 404);
    CHECK(ping["busy"] == false);
    Json last;
    for (int i = 0; i < 30; ++i)
      last = get(*world, name(1), "/v1/net/ping", {{"node", other.substr(0, 8)}});
    CHECK(last["round_trip_ms"].is_null());
    CHECK(last["busy"] == true);  // it answered, with the wish to be left alone for a moment
  }

  TEST_CASE("waiting for the join ends with the reason when nobody answers") {
    ServiceWorld world;
    world.up(name(1), {name(9)});
    Time before = world.now().mono;
    Json self = get(world, name(1), "/v1/net/self", {{"_until", "joined"}, {"_timeout", "25s"}});
    CHECK(self["state"] == "joining");
    CHECK(self["troubles"][0]["address"] == name(9));
    CHECK(self["troubles"][0]["error"] == "connection refused");
    CHECK(world.now().mono - before < 10s);
  }

  TEST_CASE("a node whose remembered peers cannot be read begins no second ring") {
    auto world = ring_of(2);
    world->run(2s);
    world->kill(name(2));
    CHECK(world->run_until([&] { return world->ideal(); }, 30s));
    Mutation damage{Table::peers, {'k', 'n', 'o', 'w', 'n'}, Bytes{0xff}};
    REQUIRE(world->disk(name(2)).commit({damage}));
    world->up(name(2), {});
    CHECK(world->node(name(2)).finished);
    CHECK_FALSE(world->node(name(2)).service->membership().founded());
    const auto& log = world->node(name(2)).log;
    CHECK(log[log.size() - 2].find("beckon up --join") != std::string::npos);
    world->kill(name(2));
    world->up(name(2), {name(1)});
    CHECK(world->run_until([&] { return world->ideal(); }, 30s));
  }

  TEST_CASE("who waits for a join that is long done, or hangs up, leaves nothing behind") {
    auto world = ring_of(2);
    HttpRequest wait{.method = "GET",
                     .path = "/v1/net/self",
                     .query = {{"_until", "joined"}, {"_timeout", "24h"}}};
    Service& joined = *world->node(name(1)).service;
    for (int i = 0; i < 70'000; ++i) {  // more than there may be timers
      auto exchange = static_cast<ExchangeId>(1'000'000 + i);
      Output out = joined.http_request(exchange, wait, world->now());
      REQUIRE(out.http.size() == 1);
    }
    world->up(name(3), {name(9)});
    Service& joining = *world->node(name(3)).service;
    for (int i = 0; i < 70'000; ++i) {
      auto exchange = static_cast<ExchangeId>(1'000'000 + i);
      (void)joining.http_request(exchange, wait, world->now());
      (void)joining.http_closed(exchange, world->now());
    }
    CHECK(joining.api().open_exchanges() == 0);
    CHECK(joining.membership().state() == State::joining);
  }

  TEST_CASE("a wait for the join ends after ten minutes, whatever was asked for") {
    auto world = ring_of(3);
    world->run(2s);
    for (int i = 1; i <= 3; ++i) world->kill(name(i));
    world->up(name(2), {});
    auto exchange = world->http(name(2), {.method = "GET",
                                          .path = "/v1/net/self",
                                          .query = {{"_until", "joined"}, {"_timeout", "24h"}}});
    world->run(599s);
    CHECK_FALSE(world->node(name(2)).http.contains(exchange));
    world->run(2s);
    CHECK(json_or_null(world->node(name(2)).http[exchange])["state"] == "joining");
  }

  TEST_CASE("leaving tells whether all was handed over") {
    auto leave = [](ServiceWorld& world, const std::string& at) {
      auto exchange = world.http(at, {.method = "POST", .path = "/v1/leave"});
      CHECK(world.run_until([&] { return world.node(at).http.contains(exchange); }, 60s));
      return json_or_null(world.node(at).http[exchange]);
    };
    auto world = ring_of(3);
    world->run(2s);
    CHECK(leave(*world, name(3))["handed_over"] == true);
    world->node(name(1)).service->membership().before_leave(
        [](const std::function<void(bool)>& done) { done(false); });
    CHECK(leave(*world, name(1))["handed_over"] == false);
  }

  TEST_CASE("an expelled node says so, and hands nothing over") {
    auto world = ring_of(2);
    Service& guest = *world->node(name(2)).service;
    (void)guest.start(Expelled{}, world->now());
    CHECK(get(*world, name(2), "/healthz")["state"] == "expelled");
    CHECK(get(*world, name(2), "/v1/status")["node"]["state"] == "expelled");
    auto exchange = world->http(name(2), {.method = "POST", .path = "/v1/leave"});
    CHECK(world->run_until([&] { return world->node(name(2)).finished; }, 15s));
    CHECK(json_or_null(world->node(name(2)).http[exchange])["handed_over"] == false);
  }

  TEST_CASE("no two lives number their events alike, and no number overflows") {
    auto first_of = [](std::uint64_t epoch) {
      MemoryStore disk;
      test::FastSigner signer;
      Service service({}, {}, epoch, {disk, signer, builtin_overlay().id(), {}});
      return service.api().last_event() + 1;
    };
    constexpr std::uint64_t today = 1'800'000'000'000;
    std::uint64_t last = 0;
    for (std::uint64_t epoch : {std::uint64_t{1}, std::uint64_t{2}, today, today + 1, 9 * today}) {
      CAPTURE(epoch);
      CHECK(first_of(epoch) >= last + 1'000'000);
      last = first_of(epoch);
    }
    constexpr std::uint64_t round = std::uint64_t{1} << 44;  // as many epochs as have room
    CHECK(first_of(round - 1) > last);
    CHECK(first_of(round) == 1);
    CHECK(first_of(round + 7) == first_of(7));
  }

  TEST_CASE("the same seed gives the same history") {
    auto run = [](std::uint64_t seed) {
      auto world = ring_of(4, seed);
      world->kill(name(2));
      world->run(20s);
      return world->trace();
    };
    CHECK(run(7) == run(7));
    CHECK(run(7) != run(8));
  }
}
