// SPDX-License-Identifier: MIT
#include "node/io/uv.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "node/io/accept_gate.h"

using namespace beckon;
using namespace beckon::io;
using std::chrono::milliseconds;

TEST_SUITE_BEGIN("io/uv");

TEST_CASE("a handle may be destroyed in its own action, and no action comes after") {
  uv::Loop loop;
  int runs = 0;
  auto timer = std::make_unique<uv::Timer>(loop);
  timer->start(
      milliseconds(1),
      [&] {
        ++runs;
        timer.reset();
      },
      milliseconds(1));
  loop.run();  // ends, since no handle is left
  CHECK(runs == 1);
}

TEST_CASE("a timer destroyed while armed does not fire") {
  uv::Loop loop;
  bool fired = false;
  {
    uv::Timer timer(loop);
    timer.start(milliseconds(0), [&] { fired = true; });
  }
  loop.run();
  CHECK_FALSE(fired);
}

TEST_CASE("an async wakes the loop from another thread") {
  uv::Loop loop;
  auto async = std::unique_ptr<uv::Async>();
  bool woken = false;
  async = std::make_unique<uv::Async>(loop, [&] {
    woken = true;
    async.reset();
  });
  std::thread other([&] { async->send(); });
  loop.run();
  other.join();
  CHECK(woken);
}

TEST_CASE("a poll sees a pipe become readable") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  {
    uv::Loop loop;
    auto poll = std::make_unique<uv::Poll>(loop, ends[0]);
    int seen = 0;
    poll->start(UV_READABLE, [&](int events) {
      seen = events;
      poll.reset();
    });
    REQUIRE(::write(ends[1], "x", 1) == 1);
    loop.run();
    CHECK(seen == UV_READABLE);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a resolver destroyed before its answer is not answered") {
  uv::Loop loop;
  bool answered = false;
  {
    uv::Resolver resolver;
    REQUIRE(resolver.start(loop, "localhost", 1, [&](auto) { answered = true; }));
  }
  loop.run();
  CHECK_FALSE(answered);
}

TEST_CASE("the gate counts IPv6 by /64, lets tokens come back, and frees places") {
  AcceptGate gate({.all = {.total = 9, .per_address = 9, .loopback = 9},
                   .unproven = {.total = 3, .per_address = 1, .loopback = 2},
                   .handshakes = {.per_second = 10, .burst = 5}});
  auto at = [](const char* host) { return *uv::Endpoint::numeric(host, 1); };
  Time now{std::chrono::seconds(1)};
  REQUIRE(gate.open(now));
  CHECK(gate.enter(at("2001:db8:1:2::1")));
  CHECK_FALSE(gate.enter(at("2001:db8:1:2:ffff::9")));
  CHECK(gate.enter(at("2001:db8:1:3::1")));
  CHECK(gate.enter(at("192.0.2.1")));
  CHECK_FALSE(gate.open(now));  // three are inside
  gate.prove(at("2001:db8:1:2::77"));
  CHECK(gate.open(now));
  CHECK(gate.enter(at("127.0.0.1")));
  gate.prove(at("192.0.2.1"));
  CHECK_FALSE(gate.open(now));  // five tokens are spent
  CHECK(gate.open(now + milliseconds(100)));
  CHECK(gate.unproven() == 2);
}

TEST_CASE("who has proved itself still takes its address's place until it is gone") {
  AcceptGate gate({.all = {.total = 4, .per_address = 2, .loopback = 3},
                   .unproven = {.total = 9, .per_address = 9, .loopback = 9},
                   .handshakes = {.per_second = 1, .burst = 99}});
  auto at = [](const char* host) { return *uv::Endpoint::numeric(host, 1); };
  Time now{std::chrono::seconds(1)};
  REQUIRE(gate.open(now));
  for (const char* host : {"2001:db8:1:2::1", "2001:db8:1:2::2", "192.0.2.1"}) {
    CHECK(gate.enter(at(host)));
    gate.prove(at(host));
  }
  CHECK(gate.unproven() == 0);
  CHECK_FALSE(gate.enter(at("2001:db8:1:2::3")));
  CHECK(gate.enter(at("192.0.2.1")));
  CHECK_FALSE(gate.open(now));  // four are connected
  gate.leave(at("2001:db8:1:2::1"));
  CHECK(gate.open(now));
  CHECK(gate.enter(at("2001:db8:1:2::3")));
}

TEST_CASE("a complaint is news once in its time, and a crowd does not make more of it") {
  Complaints complaints(std::chrono::seconds(60), 3);
  Time now{std::chrono::seconds(100)};
  CHECK(complaints.news("a", now));
  CHECK_FALSE(complaints.news("a", now + std::chrono::seconds(59)));
  CHECK(complaints.news("a", now + std::chrono::seconds(60)));
  now += std::chrono::seconds(60);
  CHECK(complaints.news("b", now));
  CHECK(complaints.news("c", now));
  CHECK_FALSE(complaints.news("d", now));
  CHECK(complaints.news("d", now + std::chrono::seconds(60)));
}

TEST_SUITE_END();
