// SPDX-License-Identifier: MIT
#include "tests/node/service/items/data_sim.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace beckon;
using test::DataSim;

TEST_SUITE_BEGIN("service/data");

namespace {

/// BECKON_SEED=n replays one seed of a profile; BECKON_SEEDS=n runs that many.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

DataSim::Counts run(DataSim::Profile profile, std::uint64_t seeds) {
  std::uint64_t first = setting("BECKON_SEED", 1);
  if (std::getenv("BECKON_SEED")) seeds = 1;
  seeds = setting("BECKON_SEEDS", seeds);
  DataSim::Counts counts;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    CAPTURE(seed);
    DataSim sim(seed, profile);
    sim.run();
    CHECK_MESSAGE(sim.failure.empty(), sim.failure);
    counts += sim.counts;
  }
  MESSAGE(seeds << " seeds: " << counts.puts << " puts, " << counts.safe_puts << " safe, "
                << counts.gets << " gets, " << counts.found << " found, " << counts.stale
                << " stale, " << counts.crashes << " crashes, " << counts.losses << " disks lost, "
                << counts.disk_faults << " disk faults, " << counts.tombstones << " tombstones, "
                << counts.replays << " replays");
  CHECK(counts.safe_puts * 2 > counts.puts);  // the checks had something to check
  return counts;
}

}  // namespace

TEST_CASE("crashes and lost disks within the budget lose nothing acknowledged") {
  run(DataSim::Profile::crashes, 300);
}

TEST_CASE("lost frames delay copies but break no promise") { run(DataSim::Profile::lossy, 150); }

TEST_CASE("two sides that both wrote agree on the newest versions after they meet again") {
  run(DataSim::Profile::partition, 150);
}

TEST_CASE("disk errors, full disks and disks that forget break no promise") {
  run(DataSim::Profile::disk, 150);
}

TEST_CASE("the same seed gives the same run") {
  for (std::uint64_t seed : {3u, 4u}) {
    DataSim one(seed, DataSim::Profile::crashes), two(seed, DataSim::Profile::crashes);
    one.run();
    two.run();
    CHECK(one.counts.found == two.counts.found);
    CHECK(one.counts.safe_puts == two.counts.safe_puts);
  }
}
