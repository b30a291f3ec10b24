// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "base/recent_map.h"
#include "base/time.h"
#include "chord/id.h"
#include "chord/options.h"

namespace beckon::chord {

/// How long each peer takes to answer, and whether it still does: a failure detector. Estimates as
/// TCP makes them (smoothed round trip and deviation); a peer is under the verdict "dead" after
/// `dead_after` misses in a row, and any sign of life clears it. Misses of requests that were under
/// way together count once: they are one silence. Keeps the `tracked_peers` heard of last.
class RoundTrips {
 public:
  explicit RoundTrips(const Options& options);

  /// For the next request: srtt + 4 rttvar within bounds; first_timeout when nothing is known.
  Duration rto(const Id& peer) const;
  std::optional<Duration> smoothed(const Id& peer) const;
  bool dead(const Id& peer) const;
  bool suspected(const Id& peer) const;  // at least one miss since it was last heard
  bool heard_since(const Id& peer, Time moment) const;

  void heard(const Id& peer, Time now);
  void measured(const Id& peer, Duration round_trip, Time now);
  void missed(const Id& peer, Time sent, Time now);
  void declare_dead(const Id& peer, Time now);
  void forget(const Id& peer) { entries_.erase(peer); }

  friend bool operator==(const RoundTrips&, const RoundTrips&) = default;

 private:
  struct Entry {
    Duration srtt{};
    Duration rttvar{};
    bool measured = false;
    int misses = 0;
    Time last_heard = Time::min();
    Time last_miss = Time::min();
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  Duration first_, min_, max_;
  int dead_after_;
  RecentMap<Id, Entry> entries_;
};

}  // namespace beckon::chord
