// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "chord/options.h"
#include "tests/world/network.h"

namespace beckon::sim {

enum class Profile : std::uint8_t {
  mixed,
  boot,
  churn,
  adjacent,
  half,
  merge,
  rejoin,
  small,
  garbage,
  lossy,
  blackout,
  twins,   // two processes with one key
  data,    // whole nodes: records, disk errors, and the history of reads and writes
  hostile  // whole nodes, a tenth of them lies
};
inline constexpr int profile_kinds = 14;
/// Those that need the ring alone; batches go round them.
inline constexpr std::array ring_profiles{Profile::mixed,    Profile::boot,     Profile::churn,
                                          Profile::adjacent, Profile::half,     Profile::merge,
                                          Profile::rejoin,   Profile::small,    Profile::garbage,
                                          Profile::lossy,    Profile::blackout, Profile::twins};
std::string_view name_of(Profile profile);
Result<Profile> profile_named(std::string_view name);

enum class Fault : std::uint8_t {
  crash,
  crash_midway,
  restart,
  wipe,
  leave,
  join,
  pause,
  clock,
  twin,
  delay,
  loss,
  duplicate,
  reorder,
  reset,
  slow,
  partition,
  one_way,
  swizzle,
  disk
};
inline constexpr int fault_kinds = 19;
inline constexpr int ring_fault_kinds = 18;  // those that mixed runs draw from
std::string_view name_of(Fault fault);
Result<Fault> fault_named(std::string_view name);

/// What faults may do, and hence which checks hold all the time (docs/testing.md).
enum class Regime : std::uint8_t {
  within_budget,  // A: crashes leave everybody a live successor; no wrong verdicts
  lossy,          // B
  parted,         // C
  over_budget,    // D
};
char letter(Regime regime);

/// Everything about a run that its seed decides, in the open, so that it can be shown and shrunk.
struct Plan {
  std::uint64_t seed{};
  Profile profile{};
  Regime regime{};
  std::size_t nodes{};
  std::size_t base{};  // hosts that never crash in regime A
  chord::Options options{};
  Weather weather{};
  std::set<Fault> faults{};
  Duration fault_time{};
  Duration mean_pause{};   // between faults
  int lookups = 20;        // in the moment of a mass crash, and again once quiet
  std::size_t adjacent{};  // neighbours that crash together in that profile
  // Whole nodes: r-1 lives begin or end in the time that repair needs, and in all but regime A so
  // many disks are lost in the whole run. 0: no limit.
  std::size_t changes_at_once{};
  Duration change_window{};
  Duration sync_period = std::chrono::seconds(60);
};

/// Narrows what a seed decides; for replaying, shrinking and measuring.
struct Narrowing {
  std::optional<std::size_t> nodes{};
  std::set<Fault> without{};
  std::optional<Duration> fault_time{};
  std::optional<Duration> mean_pause{};
  std::optional<std::size_t> list{}, base{}, adjacent{};
  std::optional<int> lookups{};
  bool default_timers = false;
  bool no_fingers = false;
};

Plan draw_plan(std::uint64_t seed, Profile profile, const Narrowing& narrowing);
std::string describe(const Plan& plan);
/// The flags of the simulator that make this run again.
std::string replay_flags(std::uint64_t seed, Profile profile, const Narrowing& narrowing);

/// How long a ring may take to be ideal once faults have ended.
Duration quiet_time(const Plan& plan);

}  // namespace beckon::sim
