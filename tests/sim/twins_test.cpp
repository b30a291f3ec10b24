// SPDX-License-Identifier: MIT
// Two processes with one key, scripted: what a seed showed once must hold after the draws change.
#include <doctest/doctest.h>

#include "tests/sim/ring_process.h"
#include "tests/world/invariants.h"
#include "tests/world/world.h"

using namespace beckon;
using namespace beckon::sim;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_SUITE_BEGIN("sim/twins");

namespace {

/// Eight members in an ideal ring; host 3 can be given a twin.
struct Ring {
  Ring() : world(factory, Network({}, Rng(1)), Rng(2)) {
    for (HostNumber i = 0; i < 8; ++i) world.add_host(ref(i, "n" + std::to_string(i)), options);
    world.boot(0, true, {});
    for (HostNumber i = 1; i < 8; ++i) world.boot(i, false, {"n0"});
    pass(minutes(5));
    REQUIRE(!check_ideal(view()));
  }

  static PeerRef ref(HostNumber number, std::string address) {
    PeerRef out{.address = std::move(address)};
    out.id.bytes[0] = static_cast<std::uint8_t>(0x20 * number + 0x11);
    return out;
  }

  HostNumber start_twin() {
    HostNumber twin = world.add_host(ref(3, "copy"), options);
    world.boot(twin, false, {"n0"});
    return twin;
  }

  void pass(Duration time) {
    world.run_until(world.now() + time, [] { return true; });
  }
  bool running(HostNumber host) const { return world.hosts()[host].running(); }
  RingView view() const { return RingView(world.hosts()); }

  chord::Options options{};
  RingFactory factory{};
  World world;
};

}  // namespace

TEST_CASE("of two processes with one key the earlier leaves and the later takes its place") {
  Ring ring;
  HostNumber twin = ring.start_twin();
  ring.pass(minutes(5));
  CHECK(!ring.running(3));
  CHECK(ring.running(twin));
  CHECK(ring.view().members().size() == 8);
  CHECK(!check_ideal(ring.view()));
}

TEST_CASE("an earlier process that slept while its twin took over leaves when it wakes") {
  Ring ring;
  ring.world.pause(3, seconds(90));
  HostNumber twin = ring.start_twin();
  ring.pass(seconds(80));
  CHECK(ring.running(3));
  ring.pass(minutes(5));
  CHECK(!ring.running(3));
  CHECK(ring.running(twin));
  CHECK(!check_ideal(ring.view()));
}

TEST_CASE("an earlier process that slept until its twin was gone and forgotten is a member again") {
  Ring ring;
  ring.world.pause(3, minutes(4));
  HostNumber twin = ring.start_twin();
  ring.pass(minutes(1));
  ring.world.crash(twin, CrashKind::refuses);
  ring.pass(minutes(10));
  CHECK(ring.running(3));
  CHECK(ring.view().members().size() == 8);
  CHECK(!check_ideal(ring.view()));
}

TEST_CASE("an earlier process outlives a later one whose machine died without a word") {
  Ring ring;
  ring.world.pause(3, seconds(62));
  HostNumber twin = ring.start_twin();
  ring.pass(seconds(60));
  REQUIRE(ring.running(twin));
  ring.world.crash(twin, CrashKind::silent);
  ring.pass(minutes(10));
  CHECK(ring.running(3));
  CHECK(ring.view().members().size() == 8);
  CHECK(!check_ideal(ring.view()));
}

TEST_CASE("a link to the earlier process ends before the one to the later is reported") {
  Ring ring;
  HostNumber twin = ring.start_twin();
  ring.pass(minutes(2));
  const Id& shared = ring.world.hosts()[twin].self.id;
  for (HostNumber i : {2, 4}) {  // neighbours on both sides
    CAPTURE(i);
    CHECK(ring.world.hosts()[i].process->ring().linked().contains(shared));
    CHECK(!ring.world.hosts()[i].process->ring().dead(shared));
  }
}

TEST_SUITE_END();
