// SPDX-License-Identifier: MIT
// Records on the real ring: what data_sim checks on a ring that is simply known.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/node_process.h"
#include "tests/world/authors.h"
#include "tests/world/invariants.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using sim::HostNumber;
using test::Author;

TEST_SUITE_BEGIN("service/records on the real ring");

namespace {

/// Whole nodes with the timers they are shipped with, on links that take 0.5 to 30 ms.
struct Run {
  Rng rng;
  sim::NodeFactory factory{sim::Plan{}};
  sim::World world;
  std::vector<Author> authors{};

  Run(std::uint64_t seed, std::size_t nodes)
      : rng(seed),
        world(factory, {{.delay_min = 500us, .delay_max = 30ms}, rng.split("network")},
              rng.split("world")) {
    for (std::size_t i = 0; i < nodes; ++i) start(add());
    run_for(200s);
  }

  HostNumber add() {
    PeerRef self{.address = "host:" + std::to_string(world.hosts().size())};
    rng.fill(self.id.bytes);
    return world.add_host(self, {});
  }

  /// The first host begins a ring, the others join it through three that are up.
  void start(HostNumber host) {
    std::vector<std::string> seeds;
    for (const sim::Host& other : world.hosts()) {
      if (other.running() && seeds.size() < 3) seeds.push_back(other.self.address);
    }
    world.boot(host, seeds.empty(), seeds);
  }

  void run_for(Duration time) {
    world.run_until(world.now() + time, [] { return true; });
    CHECK(factory.went_back.value_or("") == "");
  }

  sim::NodeProcess& node(HostNumber host) const {
    return static_cast<sim::NodeProcess&>(*world.hosts()[host].process);
  }

  void act(HostNumber host, const std::function<void(Replicas&)>& action) {
    world.tell(host, [&](sim::Process&) {
      return node(host).act([action](Service& service) { action(service.replicas()); },
                            world.clock(host));
    });
  }

  /// Hosts in ring order. All that run must be members.
  std::vector<HostNumber> by_place() const {
    sim::RingView view(world.hosts());
    std::vector<HostNumber> out;
    for (const auto& member : view.members()) out.push_back(member.host);
    CHECK(std::ssize(out) == std::ranges::count_if(world.hosts(), &sim::Host::running));
    return out;
  }

  /// Where a record belongs: on the first r hosts at or after its key.
  std::vector<HostNumber> true_replicas(const Id& key) const {
    sim::RingView view(world.hosts());
    std::size_t first = *view.index_of(view.owner(key).id);
    std::vector<HostNumber> out;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, view.members().size()); ++i) {
      out.push_back(view.members()[(first + i) % view.members().size()].host);
    }
    return out;
  }

  /// Stores one version of every author's record from a host; how many were called safe.
  std::size_t write(HostNumber host, std::size_t count, std::uint64_t seq) {
    std::size_t safe = 0;
    std::vector<ItemClient::PutEntry> entries;
    for (std::uint64_t n = 0; n < count; ++n) {
      if (authors.size() <= n) authors.emplace_back(n, factory.signer());
      entries.push_back({authors[n].raw_item(seq, world.true_time(), "x"), {}});
    }
    act(host, [&](Replicas& replicas) {
      replicas.put(entries, [&](const auto& stored) {
        safe = static_cast<std::size_t>(
            std::ranges::count_if(stored, [](const auto& s) { return s.safe; }));
      });
    });
    run_for(60s);
    return safe;
  }

  /// Records held by exactly the first r nodes, in this version.
  std::size_t in_place(std::uint64_t seq) {
    std::size_t good = 0;
    for (const Author& author : authors) {
      auto wanted = true_replicas(author.ring());
      std::size_t right = 0, elsewhere = 0;
      for (HostNumber host : by_place()) {
        const Item* item = node(host).service().replicas().table().find(author.item_key());
        bool should = std::ranges::find(wanted, host) != wanted.end();
        if (item && should && item->info.seq == seq) ++right;
        if (item && !should) ++elsewhere;
      }
      good += right == wanted.size() && elsewhere == 0 ? 1 : 0;
    }
    return good;
  }
};

}  // namespace

TEST_CASE("records are stored safely, stay in place when nodes join, and are read from anywhere") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Run run(seed, 8);
    CHECK(run.write(0, 50, 1) == 50);
    for (int i = 0; i < 3; ++i) run.start(run.add());
    run.run_for(300s);
    CHECK(run.in_place(1) == 50);
    int found = 0;
    for (HostNumber host : run.by_place()) {
      const Author& author = run.authors[host];
      run.act(host, [&](Replicas& replicas) {
        replicas.get(author.ring(), ItemKind::author_item,
                     [&](const auto& items) { found += items ? 1 : 0; });
      });
    }
    run.run_for(30s);
    CHECK(found == 11);
  }
}

TEST_CASE("r-1 neighbours that crash and lose their disks, again and again, take nothing along") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Run run(seed, 10);
    CHECK(run.write(0, 60, 1) == 60);
    for (int round = 0; round < 4; ++round) {
      auto ring = run.by_place();
      std::size_t first = seed * 7 + static_cast<std::size_t>(round) * 3;
      std::vector<std::size_t> dead{ring[first % ring.size()], ring[(first + 1) % ring.size()]};
      for (HostNumber host : dead) {
        run.world.crash(host, sim::CrashKind::refuses);
        run.world.wipe_disk(host);
      }
      run.run_for(150s);  // detection, and the goal of two T_sync and 30 s
      CHECK(run.in_place(1) == 60);
      for (HostNumber host : dead) run.start(host);
      run.run_for(330s);
      CHECK(run.in_place(1) == 60);
    }
  }
}

TEST_CASE("a node back with its old disk takes over the versions written while it was away") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    Run run(seed, 6);
    CHECK(run.write(0, 40, 1) == 40);
    run.world.crash(3, sim::CrashKind::refuses);
    run.run_for(120s);
    CHECK(run.write(0, 40, 2) == 40);
    run.start(3);
    run.run_for(200s);
    CHECK(run.in_place(2) == 40);
  }
}
