// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "base/recent_map.h"
#include "base/time.h"
#include "chord/options.h"
#include "chord/peer_ref.h"

namespace beckon::chord {

/// Arcs of the ring and who was seen to own them, so that most operations need no lookup. A hint
/// like any other: whoever uses an entry must bear that it is stale.
class LocationCache {
 public:
  struct Location {
    Arc arc{};  // (predecessor, owner]
    PeerRef owner{};
    PeerRef predecessor{};
    std::vector<PeerRef> successors{};
    Time learnt{};
    friend bool operator==(const Location&, const Location&) = default;
  };

  explicit LocationCache(const Options& options)
      : time_(options.cache_time), by_owner_(options.cache_arcs) {}

  void learn(const Location& location) { by_owner_.touch(location.owner.id) = location; }
  std::optional<Location> find(const Id& key, Time now) const;
  void drop(const Id& owner) { by_owner_.erase(owner); }
  std::size_t size() const { return by_owner_.size(); }

  friend bool operator==(const LocationCache&, const LocationCache&) = default;

 private:
  Duration time_;
  RecentMap<Id, Location> by_owner_;
};

}  // namespace beckon::chord
