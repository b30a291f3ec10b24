// SPDX-License-Identifier: MIT
#include "chord/rounds.h"

#include <algorithm>

namespace beckon::chord {

Duration jittered(Duration period, double share, Rng& rng) {
  double factor = 1 + share * (2 * rng.real() - 1);
  return Duration(static_cast<Duration::rep>(static_cast<double>(period.count()) * factor));
}

Rounds::Rounds(const Options& options)
    : periods_{options.stabilize_every, 2 * options.stabilize_every, options.finger_every,
               options.probe_every, options.remember_every},
      fingers_(options.fingers) {
  next_.fill(Time::max());
}

void Rounds::begin(Time now, Rng& rng) {
  next_[stabilize] = now;
  next_[check_predecessor] = now + jittered(periods_[check_predecessor], 0.25, rng);
  next_[remember] = now + jittered(periods_[stabilize], 0.25, rng);
  if (fingers_) next_[refresh_finger] = now + jittered(periods_[refresh_finger] / 4, 0.25, rng);
  next_[probe] = now + jittered(periods_[probe], 0.5, rng);
}

bool Rounds::due(Kind kind, Time now, Rng& rng) {
  if (next_[kind] > now) return false;
  next_[kind] = now + jittered(periods_[kind], kind == probe ? 0.5 : 0.25, rng);
  if (kind == stabilize) last_stabilize_ = now;
  return true;
}

void Rounds::stabilize_soon(Time now) {
  Time earliest = std::max(now, last_stabilize_ + periods_[stabilize] / 4);
  next_[stabilize] = std::min(next_[stabilize], earliest);
}

bool Rounds::may_recover(Time now) {
  if (next_recover_ > now) return false;
  next_recover_ = now + periods_[probe];
  return true;
}

std::size_t Rounds::next_entry(std::size_t list_length) {
  return entry_ = entry_ + 1 < list_length ? entry_ + 1 : 1;
}

Time Rounds::next() const { return *std::min_element(next_.begin(), next_.end()); }

}  // namespace beckon::chord
