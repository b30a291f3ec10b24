// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>

#include "tests/world/invariants.h"

namespace beckon::sim {

/// What people do with whole nodes while a run does its harm, and what must hold of it. A run
/// without one is about the ring alone.
class Workload {
 public:
  using Pass = std::function<bool(Duration)>;  // lets time pass; false: the run has failed

  virtual ~Workload() = default;
  virtual void act(World& world) = 0;                        // between two faults
  virtual bool besiege(World& world, const Pass& pass) = 0;  // harm of its own: profile hostile
  virtual Violation look(const World& world) = 0;            // what must hold at any time
  virtual Duration repair_time() const = 0;                  // needed once all faults have ended
  virtual void read_everything(World& world) = 0;            // everybody, every key
  virtual Violation look_quiet(const World& world) = 0;      // what must hold after that
  virtual std::map<std::string, std::size_t> counts() const = 0;
};

}  // namespace beckon::sim
