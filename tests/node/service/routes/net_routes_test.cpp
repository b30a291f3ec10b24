// SPDX-License-Identifier: MIT
// What a node tells of itself and of the ring: status, health, figures, peers, probes.
#include <set>

#include "tests/node/service/routes/asked_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::AskedWorld;

TEST_SUITE_BEGIN("service/net_routes");

namespace {

std::set<std::string> ids(const Json& list) {
  std::set<std::string> out;
  for (const Json& entry : list) out.insert(entry["id"].text());
  return out;
}

}  // namespace

TEST_CASE("each peer is listed with the roles it has on the ring, and with no other") {
  AskedWorld w(20);
  w.world.run(60s);
  Json ring = w.get(0, "/v1/net/ring");
  std::set<std::string> successors = ids(ring["successors"]), fingers = ids(ring["fingers"]);
  REQUIRE(successors.size() == 16);
  REQUIRE_FALSE(fingers.empty());
  for (const Json& finger : ring["fingers"]) CHECK(finger["exponent"].is_number_unsigned());
  std::set<std::string> seen;
  Json peers = w.get(0, "/v1/net/peers");
  CHECK(peers["self"] == ring["self"]);
  for (const Json& peer : peers["peers"]) {
    std::string id = peer["id"].get<std::string>();
    CAPTURE(id);
    CHECK(seen.insert(id).second);
    Json roles = Json::array();
    if (ring["predecessor"] == id) roles.push_back("predecessor");
    if (successors.contains(id)) roles.push_back("successor");
    if (fingers.contains(id)) roles.push_back("finger");
    CHECK(peer["roles"] == roles);
    CHECK(peer["state"] == (peer["round_trip_ms"].is_null() ? "unknown" : "alive"));
    if (peer["linked"] == true) CHECK(peer["round_trip_ms"] == 2.0);
  }
  CHECK(seen.size() == 19);
}

TEST_CASE("the ring is told from the node's own place") {
  AskedWorld w(3);
  Json ring = w.get(0, "/v1/net/ring");
  CHECK(ring["self"] == w.node(0).service->ring().self().id.hex());
  CHECK(ring["address"] == AskedWorld::address(0));
  CHECK(ring["state"] == "joined");
  CHECK(ids(ring["successors"]) == std::set{w.node(1).service->ring().self().id.hex(),
                                            w.node(2).service->ring().self().id.hex()});
  CHECK(ring["predecessor"] == ring["successors"][1]["id"]);
  CHECK(ring["predecessor_address"] == ring["successors"][1]["address"]);
  AskedWorld alone(1);
  CHECK(alone.get(0, "/v1/net/ring")["predecessor_address"].is_null());
  CHECK(alone.get(0, "/v1/net/ring")["predecessor"].is_null());
}

TEST_CASE("a node that is gone is silent in the list of peers") {
  AskedWorld w(4);
  std::string gone = w.node(2).service->ring().self().id.hex();
  w.world.kill(AskedWorld::address(2));
  w.world.run(30s);
  for (const Json& peer : w.get(0, "/v1/net/peers")["peers"]) {
    bool is_gone = peer["id"] == gone;
    CHECK((peer["state"] == "silent") == is_gone);
    if (is_gone) CHECK(peer["linked"] == false);
  }
}

TEST_CASE("a node says who it is, whether it founded the ring, and what hinders it") {
  AskedWorld w(2);
  Json founder = w.get(0, "/v1/net/self");
  CHECK(founder == Json{{"id", w.node(0).service->ring().self().id.hex()},
                        {"address", AskedWorld::address(0)},
                        {"epoch", 1},
                        {"state", "joined"},
                        {"founded", true},
                        {"had_peers", true},
                        {"known_peers", 1},
                        {"degraded", false},
                        {"troubles", Json::array()}});
  CHECK(w.get(1, "/v1/net/self")["founded"] == false);
  CHECK(w.get(0, "/v1/net/self", {{"_until", "joined"}})["state"] == "joined");
  CHECK(w.status_of(0, "GET", "/v1/net/self", {{"_until", "joined"}, {"_timeout", "x"}}) == 400);
}

TEST_CASE("status counts the seconds since the start, and health is the state of the ring") {
  AskedWorld w(2);
  auto before = w.get(0, "/v1/status")["node"]["uptime_s"].get<std::int64_t>();
  CHECK(before >= 5);
  CHECK(before < 60);
  w.world.run(100s);
  Json status = w.get(0, "/v1/status");
  CHECK(status["node"]["uptime_s"] == before + 100);
  CHECK(status["node"]["epoch"] == 1);
  CHECK(status["ring"]["size_estimate"] == 2);
  CHECK(status["ring"]["degraded"] == false);
  CHECK(status["users"][0]["id"] == w.my_id(0));
  CHECK(w.get(0, "/healthz") == Json{{"state", "joined"}});
  w.world.up("late:1", {"nobody:1"});
  auto exchange = w.world.http("late:1", {.method = "GET", .path = "/healthz"});
  CHECK(w.world.node("late:1").status[exchange] == 503);
  CHECK(json_or_null(w.world.node("late:1").http[exchange]) == Json{{"state", "joining"}});
}

TEST_CASE("a peer is pinged by its address or the first four digits of its id, and no fewer") {
  AskedWorld w(3);
  chord::PeerRef peer = w.node(1).service->ring().self();
  for (const std::string& name : {peer.address, peer.id.hex(), peer.id.hex().substr(0, 4)}) {
    CHECK(w.get(0, "/v1/net/ping", {{"node", name}}) == Json{{"id", peer.id.hex()},
                                                             {"address", peer.address},
                                                             {"round_trip_ms", 2.0},
                                                             {"busy", false}});
  }
  CHECK(w.status_of(0, "GET", "/v1/net/ping", {{"node", peer.id.hex().substr(0, 3)}}) == 400);
  CHECK(w.status_of(0, "GET", "/v1/net/ping") == 400);
  CHECK(w.status_of(0, "GET", "/v1/net/ping", {{"node", "ffff"}}) == 404);
  chord::PeerRef self = w.node(0).service->ring().self();
  CHECK(w.get(0, "/v1/net/ping", {{"node", self.address}}) ==
        Json{{"id", self.id.hex()}, {"address", self.address}, {"round_trip_ms", 0}});
}

TEST_CASE("who cannot be reached is told at once, not after a time-out") {
  AskedWorld w(3);
  chord::PeerRef peer = w.node(1).service->ring().self();
  w.world.kill(AskedWorld::address(1));
  w.world.run(10ms);
  Time before = w.world.now().mono;
  Json ping = w.get(0, "/v1/net/ping", {{"node", peer.address}});
  CHECK(ping["round_trip_ms"].is_null());
  CHECK(w.world.now().mono - before < 500ms);
}

TEST_CASE("a key of eight digits or more is an id, any other is a text with a place of its own") {
  AskedWorld w(3);
  std::string id = w.node(1).service->ring().self().id.hex();
  Json whole = w.get(0, "/v1/net/trace", {{"key", id}});
  CHECK(whole["key"] == id);
  CHECK(whole["text"] == "");
  CHECK(whole["outcome"] == "found");
  CHECK(whole["owner"] == Json{{"id", id}, {"address", AskedWorld::address(1)}});
  CHECK(whole["path"].size() == whole["contacts"].get<std::size_t>());
  Json chess = w.get(0, "/v1/net/trace", {{"key", "chess"}});
  CHECK(chess["path"] == Json::array({chess["owner"]["id"]}));
  CHECK(chess["contacts"] == 1);
  CHECK(chess["elapsed_ms"] == 2.0);
  std::string short_key = w.get(0, "/v1/net/trace", {{"key", "23a7bddb"}})["key"].text();
  CHECK(short_key == "23a7bddb" + std::string(32, '0'));
  for (const std::string& text : {std::string("23a7bdd"), std::string("chess board"), id + "0"}) {
    Json trace = w.get(0, "/v1/net/trace", {{"key", text}});
    CHECK(trace["text"] == text);
    CHECK(trace["key"] == Id::of_digest(sha256(as_bytes(text))).hex());
  }
  CHECK(w.status_of(0, "GET", "/v1/net/trace") == 400);
}

TEST_CASE("every figure of a node is told under its name, with what it counts") {
  AskedWorld w(3);
  w.publish(0, {{"name", "Ann"}, {"hobby", "chess"}});
  w.world.run(200s);
  Json stats = w.get(0, "/v1/net/stats");
  const Service& service = *w.node(0).service;
  const auto& counters = w.node(0).service->kernel().counters();
  std::map<std::string, double> wanted{{"ring_joined", 1},
                                       {"ring_size_estimate", 3},
                                       {"ring_successors", 2},
                                       {"ring_fingers", service.ring().fingers().size()},
                                       {"ring_known_peers", 2},
                                       {"remembered_peers", 2},
                                       {"requests_open", 0},
                                       {"requests_sent_total", counters.asked},
                                       {"requests_answered_total", counters.answered},
                                       {"requests_failed_total", counters.failed},
                                       {"requests_expired_total", counters.expired},
                                       {"requests_served_total", counters.served},
                                       {"requests_refused_total", counters.refused},
                                       {"lookups_total", counters.lookups},
                                       {"lookups_failed_total", counters.lookups_failed},
                                       {"lookup_contacts_total", counters.lookup_contacts},
                                       {"writes_total", counters.writes},
                                       {"writes_failed_total", counters.writes_failed},
                                       {"records", 0},
                                       {"record_bytes", 0},
                                       {"record_memory_bytes", 0},
                                       {"records_stored_total", 0},
                                       {"records_refused_total", 0},
                                       {"records_forged_total", 0},
                                       {"record_requests_refused_total", 0},
                                       {"sync_bytes_total", 0},
                                       {"records_full_total", 0},
                                       {"messages_unknown_total", 0},
                                       {"http_requests_total", 3}};
  CHECK(counters.asked > 0);
  CHECK(counters.served > 0);
  CHECK(counters.writes > 0);
  for (auto [name, some] : {std::pair<std::string, bool>{"request_duration_seconds", true},
                            {"put_duration_seconds", true},
                            {"find_duration_seconds", false},
                            {"letter_duration_seconds", false}}) {
    CAPTURE(name);
    CHECK((stats.at(name + "_count").get<double>() > 0) == some);
    CHECK((stats.at(name + "_sum").get<double>() > 0) == some);
  }
  CHECK(stats.size() == wanted.size() + 8);
  for (const auto& [name, value] : wanted) {
    CAPTURE(name);
    REQUIRE(stats.contains(name));
    bool of_records = name.starts_with("record") || name == "sync_bytes_total";
    if (!of_records) CHECK(stats[name] == value);
  }
  auto total = w.people(0).service().replicas().table().total();
  CHECK(stats["records"] == total.items);
  CHECK(stats["record_bytes"] == total.bytes);
  CHECK(stats["record_memory_bytes"] == ItemTable::footprint(total));
  CHECK(stats["records_stored_total"] == total.items);
  CHECK(stats["sync_bytes_total"].get<std::uint64_t>() > 0);
  auto exchange = w.world.http(AskedWorld::address(0), {.method = "GET", .path = "/metrics"});
  const std::string& text = w.node(0).http[exchange];
  for (const auto& [name, value] : wanted) {
    CAPTURE(name);
    std::string kind = name.ends_with("_total") ? "counter" : "gauge";
    CHECK(text.find("# TYPE beckon_" + name + " " + kind + "\nbeckon_" + name + " ") !=
          std::string::npos);
    CHECK(text.find("# HELP beckon_" + name + " ") != std::string::npos);
  }
  CHECK(text.find("\nbeckon_ring_successors 2\n") != std::string::npos);
}

TEST_CASE("whoever listens hears of each new predecessor and of new successors") {
  AskedWorld w(2);
  auto exchange = w.world.http(AskedWorld::address(0),
                               {.method = "GET", .path = "/v1/events", .wants_stream = true});
  std::string before = w.node(0).http[exchange];
  w.world.kill(AskedWorld::address(1));
  w.world.run(60s);
  std::string text = w.node(0).http[exchange].substr(before.size());
  CHECK(text.find(R"(event: ring)") != std::string::npos);
  CHECK(text.find(R"({"kind":"predecessor","predecessor":null})") != std::string::npos);
  CHECK(text.find(R"({"kind":"successors","successors":[]})") != std::string::npos);
  std::string other = w.node(1).host ? chord::Id::of_digest(sha256(as_bytes("node1:1"))).hex() : "";
  w.world.up(AskedWorld::address(1), {AskedWorld::address(0)});
  w.world.run(30s);
  text = w.node(0).http[exchange].substr(before.size());
  CHECK(text.find(R"({"kind":"predecessor","predecessor":")" + other + "\"}") != std::string::npos);
  CHECK(text.find(R"({"kind":"successors","successors":[")" + other + "\"]}") != std::string::npos);
}

TEST_SUITE_END();
