// SPDX-License-Identifier: MIT
// Do acknowledged records outlast r-1 neighbours that crash at once and lose their disks, again and
// again? And how long does it take until every record has r copies once more?
// usage: bench_durability [RUNS] [NODES] [RECORDS]      (a simulation: virtual time, one seed a
// run)
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/node/service/items/ring_of_replicas.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::Author;
using test::RingOfReplicas;

namespace {

struct Figures {
  std::uint64_t records{}, lost{}, away{};  // away: not at the owner when looked for
  std::vector<double> repair_seconds{};
  std::uint64_t bytes{}, node_seconds{};
};

std::vector<Author> publish(RingOfReplicas& ring, std::size_t count) {
  std::vector<Author> authors;
  std::vector<ItemClient::PutEntry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    authors.emplace_back(i, ring.signer);
    entries.push_back({authors.back().raw_item(1, ring.now(), std::string(100, 'x')), {}});
  }
  std::size_t safe = 0;
  ring.at(ring.net.live()[0]).put(entries, [&](const auto& stored) {
    safe = static_cast<std::size_t>(std::ranges::count_if(stored, [](auto& s) { return s.safe; }));
  });
  ring.net.run_for(60s);
  if (safe != count) std::printf("only %zu of %zu records were stored safely\n", safe, count);
  return authors;
}

/// Copies of each record on the true first r nodes.
bool all_in_place(RingOfReplicas& ring, const std::vector<Author>& authors) {
  return std::ranges::all_of(authors, [&](const Author& a) {
    auto replicas = ring.net.true_replicas(a.ring(), ring.options.replicas);
    return std::ranges::all_of(
        replicas, [&](const Id& id) { return ring.at(id).table().find(a.item_key()); });
  });
}

void crash_neighbours(RingOfReplicas& ring, std::vector<Id>& crashed) {
  auto nodes = ring.net.live();
  std::size_t first = ring.net.rng().below(nodes.size());
  for (std::size_t i = 0; i + 1 < ring.options.replicas; ++i) {
    Id id = nodes[(first + i) % nodes.size()];
    ring.net.crash(id);
    ring.net.node(id).disk().wipe();
    crashed.push_back(id);
  }
}

void run(std::uint64_t seed, std::size_t nodes, std::size_t records, Figures& out) {
  RingOfReplicas ring(nodes, seed, {.detect = 20s});
  ring.net.run_for(120s);
  auto authors = publish(ring, records);
  std::uint64_t bytes_before = ring.net.bytes();
  Time before = ring.net.time();
  for (int round = 0; round < 10; ++round) {
    std::vector<Id> crashed;
    crash_neighbours(ring, crashed);
    Time start = ring.net.time();
    bool mended = false;
    for (int s = 0; s < 8 * 60 && !mended; ++s) {
      ring.net.run_for(1s);
      mended = all_in_place(ring, authors);
    }
    out.repair_seconds.push_back(std::chrono::duration<double>(ring.net.time() - start).count());
    for (const Id& id : crashed) ring.net.start(id);  // with empty disks
    ring.net.run_for(8 * ring.options.sync_period - (ring.net.time() - start));
  }
  out.bytes += ring.net.bytes() - bytes_before;
  out.node_seconds += static_cast<std::uint64_t>(
      std::chrono::duration<double>(ring.net.time() - before).count() * static_cast<double>(nodes));
  for (const Author& a : authors) {
    ++out.records;
    if (!ring.newest_on_disk(a.item_key())) ++out.lost;
    Id owner = ring.net.true_replicas(a.ring(), 1)[0];
    if (!ring.at(owner).table().find(a.item_key())) ++out.away;
  }
}

}  // namespace

int main(int argc, char** argv) {
  auto argument = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : otherwise;
  };
  std::size_t runs = argument(1, 10), nodes = argument(2, 64), records = argument(3, 500);
  Figures f;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) run(seed, nodes, records, f);
  std::ranges::sort(f.repair_seconds);
  auto at = [&](double share) {
    return f.repair_seconds[static_cast<std::size_t>(
        share * static_cast<double>(f.repair_seconds.size() - 1))];
  };
  std::printf("runs %zu, nodes %zu, r 3, T_sync 60 s, crashes noticed within 20 s\n", runs, nodes);
  std::printf("records %llu, lost %llu, not at their owner %llu\n",
              static_cast<unsigned long long>(f.records), static_cast<unsigned long long>(f.lost),
              static_cast<unsigned long long>(f.away));
  std::printf("seconds to r copies again: median %.0f, p95 %.0f, max %.0f (goal 150)\n", at(0.5),
              at(0.95), at(1.0));
  std::printf("bytes per node and second: %.0f\n",
              static_cast<double>(f.bytes) / static_cast<double>(f.node_seconds));
  return f.lost == 0 ? 0 : 1;
}
