// SPDX-License-Identifier: MIT
// How long things take when nothing goes wrong. A step that is forgotten is mended by a retry
// seconds later, so only a clock shows that it was forgotten.
#include <doctest/doctest.h>

#include "tests/sim/ring_process.h"
#include "tests/world/invariants.h"
#include "tests/world/world.h"

using namespace beckon;
using namespace beckon::sim;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_SUITE_BEGIN("sim/delays");

namespace {

constexpr Duration one_way = milliseconds(10);

/// Hosts between which every frame takes the same time.
struct Lan {
  explicit Lan(HostNumber count) {
    for (HostNumber i = 0; i < count; ++i) {
      PeerRef self{.address = "n" + std::to_string(i)};
      self.id.bytes[0] = static_cast<std::uint8_t>(256 * i / count + 7);
      world.add_host(self, options);
    }
  }

  const chord::RingNode& node(HostNumber host) const { return world.hosts()[host].process->ring(); }
  const Id& id(HostNumber host) const { return world.hosts()[host].self.id; }
  bool member(HostNumber host) const { return node(host).mode() == chord::Mode::member; }
  void pass(Duration time) {
    world.run_until(world.now() + time, [] { return true; });
  }

  /// How long it takes until something is so; a minute if it never is.
  template <typename Condition>
  Duration until(Condition holds) {
    Time begun = world.now();
    while (!holds() && world.now() < begun + minutes(1)) pass(milliseconds(1));
    return world.now() - begun;
  }

  /// Hosts 0 to count - 1 as an ideal ring.
  void make_ring(HostNumber count) {
    world.boot(0, true, {});
    for (HostNumber i = 1; i < count; ++i) {
      world.boot(i, false, {"n0"});
      pass(seconds(1));
    }
    pass(minutes(5));
    REQUIRE(!check_ideal(RingView(world.hosts())));
  }

  Duration join(HostNumber host, std::vector<std::string> seeds) {
    world.boot(host, false, std::move(seeds));
    return until([&] { return member(host); });
  }

  chord::Options options{};
  RingFactory factory{};
  World world{factory, Network({.delay_min = one_way, .delay_max = one_way}, Rng(1)), Rng(2)};
};

}  // namespace

TEST_CASE("a peer joins through its seed without waiting for a retry") {
  for (HostNumber ring : {1u, 2u, 8u}) {
    CAPTURE(ring);
    Lan lan(ring + 1);
    lan.make_ring(ring);
    CHECK(lan.join(ring, {"n0"}) <= 20 * one_way);
  }
}

TEST_CASE("a peer that comes back joins through whom it remembers without waiting for a retry") {
  Lan lan(8);
  lan.make_ring(8);
  lan.world.crash(3, CrashKind::refuses);
  lan.pass(minutes(3));
  CHECK(lan.join(3, {}) <= 20 * one_way);
}

TEST_CASE("a newcomer's neighbours know it within one round of stabilize") {
  Lan lan(9);
  lan.make_ring(8);
  (void)lan.join(8, {"n0"});
  Duration took = lan.until([&] {
    return lan.node(7).successors().front().id == lan.id(8) &&
           lan.node(0).predecessor()->id == lan.id(8);
  });
  CHECK(took <= lan.options.stabilize_every * 5 / 4 + 8 * one_way);
}

TEST_CASE("neighbours of a peer that leaves close the gap at once") {
  Lan lan(8);
  lan.make_ring(8);
  lan.world.leave(3);
  Duration took = lan.until([&] {
    return lan.node(2).successors().front().id == lan.id(4) &&
           lan.node(4).predecessor()->id == lan.id(2);
  });
  CHECK(took <= lan.options.stabilize_every / 4 + 8 * one_way);
  CHECK_FALSE(lan.world.hosts()[3].running());
}

TEST_CASE("a lookup goes round a peer that has just died in less than half a second") {
  Lan lan(8);
  lan.make_ring(8);
  lan.world.crash(4, CrashKind::silent);
  lan.world.find(3, 1, lan.id(5), chord::Freshness::routed);
  Duration took = lan.until([&] { return !lan.world.lookups().empty(); });
  CHECK(took < milliseconds(500));
  REQUIRE(!lan.world.lookups().empty());
  CHECK(lan.world.lookups()[0].second.outcome == chord::LookupOutcome::found);
  CHECK(lan.world.lookups()[0].second.owner.id == lan.id(5));
}

TEST_SUITE_END();
