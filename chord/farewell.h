// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>

#include "base/recent_map.h"
#include "chord/maintenance.h"

namespace beckon::chord {

/// Whom a node tells that it leaves, and when it is gone: as soon as both neighbours have
/// acknowledged, after `leave_wait` at the latest. Told are the neighbours, then peers that took us
/// for their successor lately, at most `farewells`.
class Farewell {
 public:
  explicit Farewell(const Options& options);

  void notified(const PeerRef& by, Time now);
  std::map<Id, PeerRef> begin(const Maintenance& ring, Time now);  // those to tell
  void acknowledged(const Id& by, const Maintenance& ring, Time now);
  Time over_at() const { return over_at_; }

  friend bool operator==(const Farewell&, const Farewell&) = default;

 private:
  struct Notifier {
    PeerRef peer{};
    Time heard{};
    friend bool operator==(const Notifier&, const Notifier&) = default;
  };

  std::size_t limit_;
  Duration recent_, wait_;
  RecentMap<Id, Notifier> notifiers_{64};
  std::set<Id> acknowledged_{};
  Time over_at_ = Time::max();
};

}  // namespace beckon::chord
