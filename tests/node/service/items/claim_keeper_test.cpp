// SPDX-License-Identifier: MIT
#include "node/service/items/claim_keeper.h"

#include <doctest/doctest.h>

#include "tests/node/service/items/ring_of_sixteen.h"
#include "tests/world/fake_net.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::FakeNet;
using test::FakeNode;

TEST_SUITE_BEGIN("service/claim_keeper");

namespace {

/// One node with a disk and a keeper of claims, which a restart makes anew.
struct Bench {
  FakeNet net{1, {}, [](FakeNode& node) {
                auto keeper = std::make_shared<ClaimKeeper>(node);
                keeper->load();
                return keeper;
              }};
  Id id = net.add().self().id;

  Bench() { start(); }
  void start() {
    net.start(id);
    net.run_for(1s);
  }
  void restart() {
    net.crash(id);
    start();
  }
  ClaimKeeper& keeper() { return net.node(id).component<ClaimKeeper>(); }
  MemoryStore& disk() { return net.node(id).disk(); }
  std::uint64_t number() { return keeper().claims().self().disk; }

  Result<void> found() {
    std::optional<Result<void>> out;
    keeper().found([&](Result<void> result) { out = std::move(result); });
    net.run_until([&] { return out.has_value(); }, 10s);
    return *out;
  }
  /// A set of this disk and a stranger for half of the ring.
  void learn(const ClaimKeeper::Done& done) {
    Holders pair{keeper().claims().self(), holder(3)};
    keeper().change([&](Claims& claims) { return claims.learn(between(0, 8), 2, pair); }, done);
  }
  void damage(Table table) {
    std::vector<Mutation> writes;
    auto scanned = disk().scan(table, {}, [&](ByteView key, ByteView value) {
      Bytes bad(value.begin(), value.end());
      bad.pop_back();
      writes.push_back({table, Bytes(key.begin(), key.end()), bad});
      return true;
    });
    REQUIRE(scanned);
    REQUIRE(disk().commit(writes));
  }
};

}  // namespace

TEST_CASE("a disk keeps its number and its claims over a restart") {
  Bench bench;
  REQUIRE(bench.found());
  bench.learn([](const Result<void>& result) { CHECK(result); });
  bench.net.run_for(1s);
  Claims before = bench.keeper().claims();
  bench.restart();
  CHECK(bench.number() != 0);
  CHECK(bench.keeper().claims() == before);
  CHECK(bench.keeper().settled(place(12)).x == 1);
  CHECK(bench.keeper().settled(place(4)).x == 2);
}

TEST_CASE("who starts with nothing on its disk owns nothing until it founds") {
  Bench bench;
  CHECK(bench.keeper().settled(place(4)).x == 0);
  CHECK(bench.keeper().claims().rows().empty());
}

TEST_CASE("nobody founds where a set is known") {
  Bench bench;
  REQUIRE(bench.found());
  CHECK(!bench.found());
  bench.restart();
  CHECK(!bench.found());
}

TEST_CASE("an emptied disk comes back with another number and without claims") {
  Bench bench;
  REQUIRE(bench.found());
  std::uint64_t before = bench.number();
  bench.net.crash(bench.id);
  bench.disk().wipe();
  bench.start();
  CHECK(bench.number() != before);
  CHECK(bench.keeper().claims().rows().empty());
}

TEST_CASE("a disk that lost a promise or its number is a new disk") {
  for (Table table : {Table::claims, Table::meta}) {
    CAPTURE(static_cast<int>(table));
    Bench bench;
    REQUIRE(bench.found());
    std::uint64_t before = bench.number();
    bench.net.crash(bench.id);
    bench.damage(table);
    bench.start();
    std::uint64_t after = bench.number();
    CHECK(after != before);
    CHECK(bench.keeper().claims().rows().empty());
    bench.restart();
    CHECK(bench.number() == after);
    CHECK(bench.keeper().claims().rows().empty());
  }
}

TEST_CASE("keys are not settled until the disk has confirmed the set") {
  Bench bench;
  REQUIRE(bench.found());
  bool durable = false;
  bench.learn([&](const Result<void>&) { durable = true; });
  CHECK(bench.keeper().claims().settled(place(4)).x == 2);
  CHECK(bench.keeper().settled(place(4)).x == 0);
  CHECK(bench.net.run_until([&] { return durable; }, 1s));
  CHECK(bench.keeper().settled(place(4)).x == 2);
}

TEST_CASE("after a failed write nothing is settled until every row is on disk") {
  Bench bench;
  REQUIRE(bench.found());
  bench.disk().fail_commit(1);
  std::vector<bool> results;
  auto note = [&](const Result<void>& result) { results.push_back(result.has_value()); };
  bench.learn(note);
  bench.keeper().change([](Claims&) { return ClaimWrites{}; }, note);  // was queued behind it
  REQUIRE(bench.net.run_until([&] { return results.size() == 2; }, 900ms));
  CHECK(results == std::vector<bool>{false, false});
  CHECK(bench.keeper().settled(place(12)).x == 0);

  bench.net.run_for(3s);
  CHECK(bench.keeper().settled(place(4)).x == 2);
  CHECK(bench.keeper().settled(place(12)).x == 1);
  Claims before = bench.keeper().claims();
  bench.restart();
  CHECK(bench.keeper().claims() == before);
}
