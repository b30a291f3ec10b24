// SPDX-License-Identifier: MIT
#include "node/service/kernel/rate_limit.h"

#include <doctest/doctest.h>

#include "node/service/kernel/gate.h"
#include "tests/world/fake_net.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

namespace {

Id id(std::uint8_t n) {
  Id out;
  out.bytes[0] = n;
  return out;
}

Time at(Duration passed) { return Time(100s) + passed; }

}  // namespace

TEST_SUITE("service/rate_limit") {
  TEST_CASE("a burst is taken to the last piece, then as much as time brings") {
    RateLimit limit({.per_second = 2, .burst = 3, .peers = 8});
    for (int i = 0; i < 3; ++i) CHECK(limit.take(id(1), 1, at(0s)));
    CHECK_FALSE(limit.take(id(1), 1, at(0s)));
    CHECK_FALSE(limit.take(id(1), 1, at(499ms)));
    CHECK(limit.take(id(1), 1, at(500ms)));
    CHECK_FALSE(limit.take(id(1), 1, at(500ms)));
    CHECK(limit.take(id(1), 3, at(1h)));  // never more than the burst, however long the rest
    CHECK_FALSE(limit.take(id(1), 1, at(1h)));
    CHECK_FALSE(limit.take(id(2), 4, at(1h)));
    CHECK(limit.take(id(2), 3, at(1h)));  // what was refused has cost nothing
  }

  TEST_CASE("a debt is paid back by time and is never more than a full burst") {
    RateLimit limit({.per_second = 1, .burst = 10, .peers = 8});
    limit.charge(id(1), 15, at(0s));
    CHECK_FALSE(limit.take(id(1), 1, at(5s)));
    CHECK(limit.take(id(1), 1, at(6s)));
    limit.charge(id(1), 1e9, at(6s));
    CHECK_FALSE(limit.take(id(1), 1, at(16s)));
    CHECK(limit.take(id(1), 1, at(17s)));
  }

  TEST_CASE("of so many peers as it may remember none is forgotten, with one more the oldest is") {
    RateLimit limit({.per_second = 1e-9, .burst = 1, .peers = 3});
    for (std::uint8_t n = 1; n <= 3; ++n) CHECK(limit.take(id(n), 1, at(n * 1s)));
    for (std::uint8_t n = 1; n <= 3; ++n) CHECK_FALSE(limit.take(id(n), 1, at(3s + n * 1s)));
    CHECK_FALSE(limit.take(id(1), 1, at(8s)));
    CHECK(limit.take(id(4), 1, at(9s)));  // 2 asked longest ago
    CHECK(limit.peers() == 3);
    CHECK_FALSE(limit.take(id(1), 1, at(10s)));
    CHECK_FALSE(limit.take(id(3), 1, at(11s)));
    CHECK(limit.take(id(2), 1, at(12s)));
  }
}

TEST_SUITE("service/gate") {
  TEST_CASE(
      "a gate tells of refusals once a minute, counts them all, and lets the node itself in") {
    test::FakeNet net(1, {}, [](test::FakeNode&) { return std::make_shared<int>(0); });
    test::FakeNode& node = net.add();
    Gate gate(node, "letters", {.per_second = 1e-9, .burst = 2, .peers = 8});
    CHECK(gate.admit(id(1), 2));
    CHECK_FALSE(gate.admit(id(1)));
    for (int i = 0; i < 5; ++i) CHECK(gate.admit(node.self().id, 1000));
    gate.charge(node.self().id, 1000);
    CHECK(gate.admit(node.self().id));
    CHECK(gate.admit(id(2)));
    gate.charge(id(2), 1);
    CHECK_FALSE(gate.admit(id(2)));
    CHECK(node.logged.size() == 1);
    net.run_for(Refusals::quiet - 1us);
    CHECK_FALSE(gate.admit(id(1)));
    CHECK(node.logged.size() == 1);
    net.run_for(1us);
    CHECK_FALSE(gate.admit(id(1)));
    REQUIRE(node.logged.size() == 2);
    CHECK(node.logged[1].level == LogLevel::warning);
    CHECK(node.logged[1].text.find("sends more letters than it may; refused") != std::string::npos);
    CHECK(gate.refused() == 4);
  }
}
