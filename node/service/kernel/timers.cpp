// SPDX-License-Identifier: MIT
#include "node/service/kernel/timers.h"

namespace beckon::service {

TimerId Timers::set(Time when, Action action) {
  if (waiting_.size() >= capacity_) return 0;
  TimerId id = hold(std::move(action));
  waiting_.at(id).when = when;
  order_.emplace(when, id);
  return id;
}

TimerId Timers::hold(Action action) {
  waiting_[++last_].action = std::move(action);
  return last_;
}

void Timers::cancel(TimerId id) {
  auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  order_.erase({found->second.when, id});
  waiting_.erase(found);
}

std::vector<TimerId> Timers::due(Time now) {
  std::vector<TimerId> out;
  for (; next() <= now; order_.erase(order_.begin())) out.push_back(order_.begin()->second);
  return out;
}

Timers::Action Timers::take(TimerId id) {
  auto found = waiting_.extract(id);
  return found.empty() ? Action{} : std::move(found.mapped().action);
}

}  // namespace beckon::service
