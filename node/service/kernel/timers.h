// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"

namespace beckon::service {

using TimerId = std::uint64_t;  // 0 names no timer

/// Actions that wait for their moment. Each has a number by which it can be cancelled until it
/// runs. Those of one moment fall due in the order in which they were set. Bounded.
class Timers {
 public:
  using Action = std::function<void()>;
  explicit Timers(std::size_t capacity) : capacity_(capacity) {}

  TimerId set(Time when, Action action);  // 0: there is no room
  TimerId hold(Action action);            // due already, so never refused
  void cancel(TimerId id);
  std::vector<TimerId> due(Time now);  // each is named once; take() gives its action
  Action take(TimerId id);             // empty: it was cancelled
  bool waits(TimerId id) const { return waiting_.contains(id); }
  Time next() const { return order_.empty() ? Time::max() : order_.begin()->first; }
  std::size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    Time when = Time::min();
    Action action{};
  };

  std::size_t capacity_;
  TimerId last_ = 0;
  std::map<TimerId, Waiting> waiting_{};
  std::set<std::pair<Time, TimerId>> order_{};  // of those not yet due
};

}  // namespace beckon::service
