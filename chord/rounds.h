// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "base/rng.h"
#include "base/time.h"
#include "chord/options.h"

namespace beckon::chord {

Duration jittered(Duration period, double share, Rng& rng);  // up to that share shorter or longer

/// When a member does what is periodic. A round comes a period after the last of its kind, with
/// jitter, so that nodes do not stay in step; a failure brings at most one extra round. Before
/// begin() nothing is due.
class Rounds {
 public:
  enum Kind : std::size_t { stabilize, check_predecessor, refresh_finger, probe, remember, kinds };

  explicit Rounds(const Options& options);

  void begin(Time now, Rng& rng);           // we are a member
  bool due(Kind kind, Time now, Rng& rng);  // if so, the round begins
  void check_predecessor_at(Time time) { next_[check_predecessor] = time; }
  void stabilize_soon(Time now);  // a quarter of a period after the last time, at the earliest
  bool may_recover(Time now);     // once in a period of probes
  /// Which entry of a successor list is checked in this round; of two or more, never the first.
  std::size_t next_entry(std::size_t list_length);
  Time next() const;

  friend bool operator==(const Rounds&, const Rounds&) = default;

 private:
  std::array<Duration, kinds> periods_;
  std::array<Time, kinds> next_{};
  bool fingers_;
  Time last_stabilize_ = Time::min();
  Time next_recover_ = Time::min();
  std::size_t entry_ = 1;
};

}  // namespace beckon::chord
