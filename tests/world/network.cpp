// SPDX-License-Identifier: MIT
#include "tests/world/network.h"

namespace beckon::sim {

Duration Network::delay(HostNumber from, HostNumber to) {
  Duration base(rng_.between(weather_.delay_min.count(), weather_.delay_max.count()));
  if (weather_.heavy_tail > 0 && rng_.chance(weather_.heavy_tail)) base *= rng_.between(2, 100);
  for (HostNumber host : {from, to}) {
    if (auto found = slow_.find(host); found != slow_.end()) base += found->second;
  }
  return base;
}

bool Network::passes(HostNumber from, HostNumber to) const {
  if (cuts_.contains({from, to}) || clogged_.contains(from) || clogged_.contains(to)) return false;
  return groups_.empty() || group_of(from) == group_of(to);
}

std::size_t Network::group_of(HostNumber host) const {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].contains(host)) return i;
  }
  return 0;
}

void Network::heal_cuts() {
  groups_.clear();
  cuts_.clear();
  clogged_.clear();
}

void Network::heal() {
  heal_cuts();
  slow_.clear();
  weather_ = calm_;
}

}  // namespace beckon::sim
