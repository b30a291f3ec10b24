// SPDX-License-Identifier: MIT
#pragma once

#include "tests/sim/plan.h"
#include "tests/world/world.h"

namespace beckon::sim {

/// Does harm, within what the plan allows: one fault at a time, drawn from the seed. In regime A it
/// never leaves anybody (nor an answer under way, nor a join under way) without a live successor.
class Nemesis {
 public:
  Nemesis(World& world, const Plan& plan, std::vector<std::string> seeds, Rng rng);

  static constexpr std::chrono::milliseconds slowest{3000};  // what a slow host adds to a delay

  void strike();  // one random fault of the plan
  void crash_adjacent(std::size_t count);
  void crash_half();
  void restart_everybody();
  void split(std::size_t groups);
  void heal();  // ends every lasting fault; seeds that are down start again
  bool may_fail(HostNumber host) const;
  std::size_t crashes() const { return crashes_; }

 private:
  void apply(Fault fault);
  bool too_many_changes(Fault fault);
  bool list_outlives(HostNumber victim) const;
  Duration settled() const;
  void restart(HostNumber host, bool wiped);
  void crash(HostNumber host);
  void twin();
  void swizzle();
  std::optional<HostNumber> any(bool running);
  std::optional<HostNumber> any_that_may_fail();

  World& world_;
  const Plan& plan_;
  std::vector<std::string> seeds_;
  Rng rng_;
  std::vector<HostNumber> clogged_{};
  bool freeing_ = false;
  std::size_t crashes_ = 0;
  std::vector<Time> changes_{};  // lives begun or ended, within the window of the plan
  std::size_t losses_ = 0;
};

}  // namespace beckon::sim
