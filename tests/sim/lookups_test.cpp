// SPDX-License-Identifier: MIT
// Lookups asked right after neighbours have gone, before stabilize has noticed.
#include <doctest/doctest.h>

#include "chord/wire.h"
#include "tests/sim/ring_process.h"
#include "tests/world/invariants.h"
#include "tests/world/world.h"

using namespace beckon;
using namespace beckon::sim;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_SUITE_BEGIN("sim/lookups");

namespace {

/// Members in an ideal ring, evenly spaced, and lookups one by one.
struct Ring {
  explicit Ring(HostNumber size, std::size_t list, std::uint64_t seed)
      : count(size), rng(seed), world(factory, Network({}, Rng(seed)), Rng(seed + 1)) {
    chord::Options options;
    options.list_length = list;
    for (HostNumber i = 0; i < count; ++i) {
      PeerRef self{.address = std::to_string(i)};
      self.id.bytes[0] = static_cast<std::uint8_t>(256 / count * i + 1);
      world.add_host(self, options);
    }
    world.boot(0, true, {});
    for (HostNumber i = 1; i < count; ++i) world.boot(i, false, {"0"});
    pass(minutes(5));
    REQUIRE(!check_ideal(RingView(world.hosts())));
  }

  void pass(Duration time) {
    world.run_until(world.now() + time, [] { return true; });
  }

  chord::LookupDone find(HostNumber host, const Id& key) {
    world.forget_lookups();
    world.find(host, 1, key, chord::Freshness::verified);
    for (int i = 0; i < 160 && world.lookups().empty(); ++i) pass(milliseconds(100));
    REQUIRE(world.lookups().size() == 1);
    return world.lookups()[0].second;
  }

  Id random_key() {
    Id key;
    rng.fill(key.bytes);
    return key;
  }

  HostNumber count;
  Rng rng;
  RingFactory factory{};
  World world;
};

}  // namespace

TEST_CASE("who is left alone by a neighbour that leaves or dies owns every key at once") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Ring ring(2, 16, seed);
    switch (seed % 3) {
      case 0:
        ring.world.leave(1);
        break;
      case 1:
        ring.world.crash(1, CrashKind::refuses);
        break;
      default:
        ring.world.crash(1, CrashKind::silent);
    }
    ring.pass(milliseconds(ring.rng.between(0, 2500)));
    chord::LookupDone done = ring.find(0, ring.random_key());
    CHECK(done.outcome == chord::LookupOutcome::found);
    CHECK(done.owner.id == ring.world.hosts()[0].self.id);
    CHECK(done.took < seconds(6));
  }
}

TEST_CASE("a lookup outlives the death of everybody its list knew, by waiting for a better list") {
  std::size_t waited = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Ring ring(8, 2, seed);
    for (HostNumber gone : {1, 2}) ring.world.crash(gone, CrashKind::refuses);
    Id key = ring.world.hosts()[2].self.id;  // host 3 owns it now
    chord::LookupDone done = ring.find(0, key);
    REQUIRE(done.outcome == chord::LookupOutcome::found);
    CHECK(done.took < seconds(15));
    waited += done.took > milliseconds(500) ? 1 : 0;
  }
  CHECK(waited > 0);
}

TEST_CASE("who lost its whole list takes the nearest peer it has met, not the long way round") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    Ring ring(128, 2, seed);
    for (HostNumber gone : {1, 2, 3}) ring.world.crash(gone, CrashKind::refuses);
    ring.pass(
        seconds(60));  // back from its predecessor, five peers a round, it would be two minutes
    RingView view(ring.world.hosts());
    const auto& list = view.members()[*view.index_of_host(0)].node->successors();
    REQUIRE(!list.empty());
    CHECK(list.front().id == ring.world.hosts()[4].self.id);
    CHECK(ring.find(70, ring.world.hosts()[3].self.id).owner.id == ring.world.hosts()[4].self.id);
  }
}

TEST_CASE("a broken link to its owner does not make a key ours") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Ring ring(3, 16, seed);
    const Id& before = ring.world.hosts()[1].self.id;
    ring.world.forget_lookups();
    ring.world.find(2, 1, before, chord::Freshness::routed);
    ring.pass(milliseconds(ring.rng.between(0, 200)));
    ring.world.tell(1, [&](Process&) {
      Actions hang_up;
      hang_up.close.push_back(ring.world.hosts()[2].self.id);
      return hang_up;
    });
    for (int i = 0; i < 160 && ring.world.lookups().empty(); ++i) ring.pass(milliseconds(100));
    REQUIRE(ring.world.lookups().size() == 1);
    CHECK(ring.world.lookups()[0].second.owner.id == before);
  }
}

TEST_CASE(
    "all who were members begin anew soon, though a newcomer with the smallest id joins too") {
  for (bool newcomer : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(newcomer);
      CAPTURE(seed);
      Ring ring(3, 16, seed);
      ring.pass(minutes(3));  // until all have remembered each other
      for (HostNumber gone : {0, 1, 2}) ring.world.crash(gone, CrashKind::refuses);
      HostNumber fresh = ring.world.add_host({.id = {}, .address = "fresh"}, {});
      if (newcomer) ring.world.boot(fresh, false, {"0", "1", "2"});
      for (HostNumber back : {0, 1, 2}) ring.world.boot(back, false, {});
      ring.pass(newcomer ? seconds(70) : seconds(40));
      RingView view(ring.world.hosts());
      CHECK(view.members().size() >= 3);  // the newcomer may wait a minute to try again
      ring.pass(minutes(2));
      CHECK(!check_ideal(RingView(ring.world.hosts())));
    }
  }
}

TEST_CASE("leaving tells at most 64 peers in one step, however many have notified us") {
  PeerRef self{.address = "self"};
  self.id.bytes[0] = 1;
  chord::RingNode node({}, self, 1, Rng(1));
  Now now{};
  (void)node.start(chord::Create{}, now);
  for (unsigned i = 1; i <= 100; ++i) {
    PeerRef other{.address = "x"};
    other.id.bytes[19] = static_cast<std::uint8_t>(i);
    (void)node.link_up({.peer = other, .epoch = 1}, now);
    auto type = static_cast<std::uint8_t>(chord::MessageType::notify);
    (void)node.receive({.peer = other, .type = type, .body = chord::encode(chord::Notify{})}, now);
  }
  chord::Output out = node.start(chord::LeaveNow{}, now);
  CHECK(out.send.size() > 16);
  CHECK(out.send.size() <= 64);
}

TEST_SUITE_END();
