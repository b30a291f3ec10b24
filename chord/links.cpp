// SPDX-License-Identifier: MIT
#include "chord/links.h"

#include <algorithm>

namespace beckon::chord {

void Links::up(const Id& peer, std::uint64_t epoch, Time now) {
  if (lives_.size() >= capacity_ && !lives_.contains(peer)) {
    auto idle = std::find_if(lives_.begin(), lives_.end(),
                             [&](const auto& life) { return !links_.contains(life.first); });
    lives_.erase(idle == lives_.end() ? lives_.begin() : idle);
  }
  lives_[peer] = {.epoch = epoch, .linked = now};
  links_[peer] = epoch;
}

bool Links::down(const Id& peer, Time now) {
  if (links_.erase(peer) == 0) return false;
  lives_[peer].linked = now;
  return true;
}

bool Links::dial(const std::string& address, std::size_t limit) {
  return dialling_.size() < limit && dialling_.insert(address).second;
}

bool Links::refuses(const Id& peer, std::uint64_t epoch, Time now) const {
  auto seen = lives_.find(peer);
  if (seen == lives_.end() || epoch >= seen->second.epoch) return false;
  return links_.contains(peer) || seen->second.linked + memory_ > now;
}

bool Links::is_later_life(const Id& peer, std::uint64_t epoch) const {
  auto seen = lives_.find(peer);
  return seen != lives_.end() && epoch > seen->second.epoch;
}

}  // namespace beckon::chord
