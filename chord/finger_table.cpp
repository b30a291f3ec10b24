// SPDX-License-Identifier: MIT
#include "chord/finger_table.h"

#include <algorithm>

namespace beckon::chord {

int FingerTable::lowest_exponent(const Id& first_successor) const {
  Id distance = first_successor - self_;
  for (int exponent = 0; exponent < 160; ++exponent) {
    if (Id{}.plus_power(exponent) > distance) return exponent;
  }
  return 160;
}

int FingerTable::next_exponent(const Id& first_successor) {
  int lowest = lowest_exponent(first_successor);
  fingers_.erase(fingers_.begin(), fingers_.lower_bound(lowest));
  if (lowest > 159) return -1;  // the first successor lies behind half of the ring
  if (next_ < lowest || next_ > 159) next_ = 159;
  return next_--;
}

void FingerTable::set(int exponent, const PeerRef& owner) {
  if (owner.id == self_) {
    fingers_.erase(exponent);
  } else {
    fingers_.insert_or_assign(exponent, owner);
  }
}

void FingerTable::learn(const Arc& owned, const PeerRef& owner, int asked) {
  for (int exponent = 0; exponent < 160; ++exponent) {
    bool wanted = exponent == asked || fingers_.contains(exponent);
    if (wanted && owned.contains(start(exponent))) set(exponent, owner);
  }
}

void FingerTable::drop(const Id& peer) {
  std::erase_if(fingers_, [&](const auto& finger) { return finger.second.id == peer; });
}

std::vector<PeerRef> FingerTable::distinct() const {
  std::vector<PeerRef> out;
  for (const auto& [exponent, peer] : fingers_) {
    if (out.empty() || out.back().id != peer.id) out.push_back(peer);
  }
  return out;
}

std::vector<PeerRef> closest_before(const Id& after, const Id& key, std::vector<PeerRef> peers,
                                    std::size_t count) {
  std::erase_if(peers, [&](const PeerRef& peer) {
    return peer.id == after || !Arc{.after = after, .upto = key}.contains_inside(peer.id);
  });
  std::sort(peers.begin(), peers.end(),
            [&](const PeerRef& a, const PeerRef& b) { return key - a.id < key - b.id; });
  auto same = [](const PeerRef& a, const PeerRef& b) { return a.id == b.id; };
  peers.erase(std::unique(peers.begin(), peers.end(), same), peers.end());
  if (peers.size() > count) peers.resize(count);
  return peers;
}

}  // namespace beckon::chord
