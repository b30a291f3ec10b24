// SPDX-License-Identifier: MIT
#include "chord/location_cache.h"

namespace beckon::chord {

std::optional<LocationCache::Location> LocationCache::find(const Id& key, Time now) const {
  const Location* next = by_owner_.at_or_behind(key);
  bool fits = next != nullptr && next->learnt + time_ >= now && next->arc.contains(key);
  return fits ? std::optional(*next) : std::nullopt;
}

}  // namespace beckon::chord
