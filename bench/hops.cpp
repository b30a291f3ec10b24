// SPDX-License-Identifier: MIT
// How many peers does a lookup ask? The shipped Lookup and FingerTable over ideal tables, ring
// only.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/rng.h"
#include "chord/finger_table.h"
#include "chord/lookup.h"
#include "cli/render/plot.h"
#include "tests/sim/ring_process.h"
#include "tests/world/world.h"

using namespace beckon;
using namespace beckon::chord;

namespace {

/// A ring at rest: every peer knows its true successors and fingers.
class IdealRing {
 public:
  IdealRing(std::size_t size, Rng& rng) {
    for (std::size_t i = 0; i < size; ++i) {
      PeerRef peer{.address = "n" + std::to_string(i)};
      rng.fill(peer.id.bytes);
      peers_.push_back(peer);
    }
    std::sort(peers_.begin(), peers_.end());
  }

  const PeerRef& peer(std::size_t index) const { return peers_[index]; }
  std::size_t owner(const Id& key) const {
    auto found = std::lower_bound(peers_.begin(), peers_.end(), PeerRef{.id = key});
    return found == peers_.end() ? 0 : static_cast<std::size_t>(found - peers_.begin());
  }
  std::vector<PeerRef> list(std::size_t index) const {
    std::vector<PeerRef> out;
    std::size_t length = std::min(Options{}.list_length, peers_.size() - 1);
    for (std::size_t i = 1; i <= length; ++i) out.push_back(peers_[(index + i) % peers_.size()]);
    return out;
  }
  std::vector<PeerRef> fingers(std::size_t index) const {
    FingerTable table(peers_[index].id);
    for (int exponent = 159; exponent >= 0; --exponent) {
      const PeerRef& finger = peers_[owner(table.start(exponent))];
      if (finger == list(index).front()) break;  // from here on the first successor covers all
      table.set(exponent, finger);
    }
    return table.distinct();
  }

 private:
  std::vector<PeerRef> peers_{};
};

/// Asks until the lookup ends; false if it found another than the owner.
bool search(const IdealRing& ring, std::size_t from, const Id& key, std::size_t& contacts) {
  Lookup lookup({},
                {.self = ring.peer(from),
                 .key = key,
                 .start = ring.fingers(from),
                 .own_list = ring.list(from)},
                Time{});
  while (!lookup.finding()) {
    for (const Lookup::Question& q : lookup.questions()) {
      std::size_t asked = ring.owner(q.peer.id);
      if (q.state) {
        lookup.state_answered(q.peer, {.mode = Mode::member, .successors = ring.list(asked)});
      } else {
        NextReply reply{.mode = Mode::member, .successors = ring.list(asked)};
        reply.closer = closest_before(q.peer.id, key, ring.fingers(asked), 8);
        lookup.next_answered(q.peer, reply);
      }
    }
  }
  contacts = lookup.contacts();
  return lookup.finding()->outcome == LookupOutcome::found &&
         lookup.finding()->owner == ring.peer(ring.owner(key));
}

std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") return status >> word, std::strtoul(word.c_str(), nullptr, 10);
  }
  return 0;
}

/// A ring with default timers, watched for ten quiet minutes of its own time.
void cost_at_rest(std::size_t size) {
  std::size_t before = resident_kib();
  Rng rng(size);
  sim::RingFactory factory;
  sim::World world(factory, sim::Network({}, rng.split("network")), rng.split("world"));
  for (std::size_t i = 0; i < size; ++i) {
    Id id;
    rng.fill(id.bytes);
    world.add_host({.id = id, .address = "n" + std::to_string(i)}, {});
    world.boot(i, i == 0, {"n0"});
    world.run_until(world.now() + std::chrono::milliseconds(200), [] { return true; });
  }
  world.run_until(world.now() + std::chrono::minutes(10), [] { return true; });
  std::uint64_t bytes = world.bytes_sent(), frames = world.frames_sent();
  world.run_until(world.now() + std::chrono::minutes(10), [] { return true; });
  double seconds = 600 * static_cast<double>(size);
  constexpr double tls_record = 22;  // header and tag around each frame
  double f = static_cast<double>(world.frames_sent() - frames) / seconds;
  double b = static_cast<double>(world.bytes_sent() - bytes) / seconds;
  std::printf(
      "%zu peers at rest: each sends %.2f frames/s, %.0f bytes/s (%.0f with TLS records); "
      "%zu KiB of memory per peer, the simulator's part included\n",
      size, f, b, b + tls_record * f, (resident_kib() - before) / size);
}

void draw(const char* path, cli::Plot::Series measured, cli::Plot::Series expected) {
  cli::Plot plot{.title = "Requests per lookup in a ring at rest",
                 .x = {.label = "peers", .log = true},
                 .y = {.label = "mean requests", .low = 0},
                 .series = {std::move(measured), std::move(expected)}};
  std::ofstream(path) << plot.svg();
}

}  // namespace

int main(int argc, char** argv) {
  int lookups = argc > 1 ? std::atoi(argv[1]) : 20000;
  std::printf("%8s %9s %7s %5s %5s %12s %6s\n", "peers", "lookups", "mean", "p99", "max",
              "1/2 log2 N", "wrong");
  cli::Plot::Series measured{.name = "measured"}, expected{.name = "1/2 log2 N"};
  for (std::size_t size : {16, 64, 128, 512, 1024, 4096, 10000}) {
    Rng rng(size);
    IdealRing ring(size, rng);
    std::vector<std::size_t> contacts;
    int wrong = 0;
    double sum = 0;
    for (int i = 0; i < lookups; ++i) {
      Id key;
      rng.fill(key.bytes);
      std::size_t n = 0;
      if (!search(ring, rng.below(size), key, n)) ++wrong;
      contacts.push_back(n);
      sum += static_cast<double>(n);
    }
    std::sort(contacts.begin(), contacts.end());
    double mean = sum / lookups, half = std::log2(static_cast<double>(size)) / 2;
    std::printf("%8zu %9d %7.2f %5zu %5zu %12.2f %6d  %s\n", size, lookups, mean,
                contacts[contacts.size() * 99 / 100], contacts.back(), half, wrong,
                mean <= half + (size == 10000 ? 1 : 0) && wrong == 0 ? "kept" : "BROKEN");
    measured.points.emplace_back(size, mean);
    expected.points.emplace_back(size, half);
  }
  if (argc > 2) draw(argv[2], std::move(measured), std::move(expected));
  cost_at_rest(64);
  cost_at_rest(256);
}
