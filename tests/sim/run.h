// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/plan.h"
#include "tests/sim/workload.h"
#include "tests/world/process.h"

namespace beckon::sim {

/// How one seed ended.
struct Verdict {
  bool ok = true;
  std::string what{};  // the violated check, when, and the state around it
  std::uint64_t trace = 0;
  std::uint64_t steps = 0;
  double rounds_to_ideal = 0;       // from the last fault on, in stabilize periods
  double rounds_to_successors = 0;  // until every first successor is right
  std::size_t lookups = 0;          // asked of members while faults were going on
  std::size_t lookups_failed = 0;
  std::size_t lookups_wrong = 0;         // answered by another than the owner at that moment
  std::vector<double> lookup_seconds{};  // how long each of them took
  std::size_t quiet_lookups = 0;
  std::size_t quiet_contacts = 0;
  std::size_t crashes = 0;
  std::map<std::string, std::size_t> more{};  // what the workload counted
};

/// Runs one seed to its end. The transcript, if wanted, goes to `dump`.
Verdict run(const Plan& plan, Factory& factory, std::ostream* dump = nullptr,
            Workload* workload = nullptr);

}  // namespace beckon::sim
