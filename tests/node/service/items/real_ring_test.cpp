// Records on the real ring: what data_sim checks on a ring that is simply known.
#include "tests/world/kernel_world.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::Author;
using test::KernelWorld;

TEST_SUITE_BEGIN("service/records on the real ring");

namespace {

struct Run {
  KernelWorld world;
  std::vector<Author> authors{};

  Run(std::uint64_t seed, std::size_t nodes) : world(seed) {
    for (std::size_t i = 0; i < nodes; ++i) world.start(world.add(), i == 0);
    world.run_for(200s);
  }

  /// Stores one version of every author's record from a host; how many were called safe.
  std::size_t write(std::size_t host, std::size_t count, std::uint64_t seq) {
    std::size_t safe = 0;
    std::vector<ItemClient::PutEntry> entries;
    for (std::uint64_t n = 0; n < count; ++n) {
      if (authors.size() <= n) authors.emplace_back(n, world.signer);
      entries.push_back({authors[n].parcel(seq, world.now(), "x"), {}});
    }
    world.act(host, [&](Replicas& replicas) {
      replicas.put(entries, [&](const auto& stored) {
        safe = static_cast<std::size_t>(
            std::ranges::count_if(stored, [](const auto& s) { return s.safe; }));
      });
    });
    world.run_for(60s);
    return safe;
  }

  /// Records held by exactly the first r nodes, in this version.
  std::size_t in_place(std::uint64_t seq) {
    std::size_t good = 0;
    for (const Author& author : authors) {
      auto wanted = world.true_replicas(author.ring(), 3);
      std::size_t right = 0, elsewhere = 0;
      for (std::size_t host : world.by_place()) {
        const Item* item = world.replicas(host).table().find(author.item_key());
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
    for (int i = 0; i < 3; ++i) run.world.start(run.world.add());
    run.world.run_for(300s);
    CHECK(run.in_place(1) == 50);
    int found = 0;
    for (std::size_t host : run.world.by_place()) {
      const Author& author = run.authors[host];
      run.world.act(host, [&](Replicas& replicas) {
        replicas.get(author.ring(), ItemKind::author_record,
                     [&](const auto& items) { found += items ? 1 : 0; });
      });
    }
    run.world.run_for(30s);
    CHECK(found == 11);
  }
}

TEST_CASE("r-1 neighbours that crash and lose their disks, again and again, take nothing along") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Run run(seed, 10);
    CHECK(run.write(0, 60, 1) == 60);
    for (int round = 0; round < 4; ++round) {
      auto ring = run.world.by_place();
      std::size_t first = seed * 7 + static_cast<std::size_t>(round) * 3;
      std::vector<std::size_t> dead{ring[first % ring.size()], ring[(first + 1) % ring.size()]};
      for (std::size_t host : dead) {
        run.world.crash(host);
        run.world.disk(host).wipe();
      }
      run.world.run_for(150s);  // detection, and the goal of two T_sync and 30 s
      CHECK(run.in_place(1) == 60);
      for (std::size_t host : dead) run.world.start(host);
      run.world.run_for(330s);
      CHECK(run.in_place(1) == 60);
    }
  }
}

TEST_CASE("a node back with its old disk takes over the versions written while it was away") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    Run run(seed, 6);
    CHECK(run.write(0, 40, 1) == 40);
    run.world.crash(3);
    run.world.run_for(120s);
    CHECK(run.write(0, 40, 2) == 40);
    run.world.start(3);
    run.world.run_for(200s);
    CHECK(run.in_place(2) == 40);
  }
}
