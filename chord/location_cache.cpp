#include "chord/location_cache.h"

#include <algorithm>

namespace beckon::chord {

void LocationCache::learn(Location location) {
  if (by_owner_.size() >= capacity_ && !by_owner_.contains(location.owner.id)) {
    by_owner_.erase(std::min_element(by_owner_.begin(), by_owner_.end(), [](auto& a, auto& b) {
      return a.second.learnt < b.second.learnt;
    }));
  }
  Id owner = location.owner.id;
  by_owner_.insert_or_assign(owner, std::move(location));
}

std::optional<LocationCache::Location> LocationCache::find(const Id& key, Time now) const {
  if (by_owner_.empty()) return std::nullopt;
  auto next = by_owner_.lower_bound(key);  // the first owner at or behind the key, if any fits
  if (next == by_owner_.end()) next = by_owner_.begin();
  const Location& location = next->second;
  if (location.learnt + time_ < now || !location.arc.contains(key)) return std::nullopt;
  return location;
}

}  // namespace beckon::chord
