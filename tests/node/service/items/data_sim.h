// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "tests/node/service/items/ring_of_replicas.h"

namespace beckon::test {

/// A random run of a ring of Replicas under faults, watched by the data invariants D1-D7 of
/// docs/testing.md. Everything follows from the seed: size, copies, periods, faults and writes.
/// The first broken promise is kept as `failure`, and the run stops there.
class DataSim {
 public:
  /// What may happen besides writes and reads.
  enum class Profile {
    crashes,    // regime A: crashes and disk losses within the budget
    lossy,      // regime B: the same, and frames are lost
    partition,  // regime C: two sides that both write, then heal
    disk,       // disk errors, full disks, older snapshots, lost syncs; within the same budget
  };

  DataSim(std::uint64_t seed, Profile profile);
  void run();

  std::string failure{};
  struct Counts {
    std::uint64_t puts{}, safe_puts{}, gets{}, found{}, stale{}, tombstones{}, crashes{}, losses{},
        replays{}, disk_faults{};
    Counts& operator+=(const Counts& other);
  } counts{};

 private:
  struct Written {  // what is known of one author's record
    std::uint64_t last_seq{};
    std::optional<service::Version> safe{};  // the newest version acknowledged with all copies
    bool safe_is_tombstone = false;
    WallTime expiry{};
    service::AuthorItem newest{};
    std::vector<std::pair<std::uint64_t, WallTime>> issued{};  // seq and expiry of every version
    /// The version that must still exist: none once it, or a newer one that took its place,
    /// expired.
    std::optional<service::Version> must_exist(WallTime now) const;
  };

  void fail(const std::string& text) {
    if (failure.empty()) failure = text;
  }
  bool act();
  void put();
  void get();
  void replay();
  void crash();
  void restart();
  void split_or_heal();
  void hurt_disk();
  bool within_budget();

  void watch(const chord::Id& node, const service::Item* before, const service::Item* after);
  void check_always();
  void check_tables();
  void check_durable();
  void check_quiet();
  void settle();

  Profile profile_;
  Rng rng_;
  RingOfReplicas ring_;
  std::vector<Author> authors_{};
  std::map<std::size_t, Written> written_{};
  std::vector<service::RawItem> seen_{};  // every version ever signed, for replays
  std::vector<Time> faults_{};
  std::map<std::pair<chord::Id, service::ItemKey>, service::Item> last_{};  // for D2
  std::set<chord::Id> lossy_disks_{};
  bool split_ = false;
};

}  // namespace beckon::test
