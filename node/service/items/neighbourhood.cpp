// SPDX-License-Identifier: MIT
#include "node/service/items/neighbourhood.h"

#include <algorithm>

namespace beckon::service {

bool Neighbourhood::set_predecessor(const std::optional<Id>& predecessor) {
  std::optional<Id> before;
  if (!chain_.empty()) before = chain_.front();
  if (before == predecessor) return false;
  // What lay behind the old one may lie behind the new one, too, but not knowing is safer.
  chain_.clear();
  if (predecessor && *predecessor != self_) chain_.push_back(*predecessor);
  return true;
}

bool Neighbourhood::learn(const Id& from, const std::vector<Id>& its_predecessors) {
  if (chain_.empty() || chain_.front() != from) return false;
  std::vector<Id> chain{from};
  for (const Id& next : its_predecessors) {
    // Walking back from self, each one must come before the last: outside (last, self].
    if (chain.size() == depth_ || next == self_ || next == chain.back()) break;
    if (Arc{.after = chain.back(), .upto = self_}.contains(next)) break;
    chain.push_back(next);
  }
  if (chain == chain_) return false;
  chain_ = std::move(chain);
  return true;
}

std::optional<Arc> Neighbourhood::own() const {
  if (chain_.empty()) return {};
  return Arc{.after = chain_.front(), .upto = self_};
}

std::optional<Arc> Neighbourhood::of_predecessor() const {
  if (chain_.size() < 2) return {};
  return Arc{.after = chain_[1], .upto = chain_[0]};
}

bool Neighbourhood::among_first(std::size_t count, const Id& key) const {
  if (count == 0) return false;
  if (chain_.size() < count) return true;
  return Arc{.after = chain_[count - 1], .upto = self_}.contains(key);
}

Arc Neighbourhood::concern_of(const Id& peer, const std::vector<chord::PeerRef>& successors,
                              std::size_t within) const {
  std::vector<Id> behind;  // how far back from the peer, nearest first
  auto add = [&](const Id& id) {
    if (id != peer) behind.push_back(peer - id);
  };
  add(self_);
  for (const Id& id : chain_) add(id);
  for (const chord::PeerRef& successor : successors) add(successor.id);
  std::ranges::sort(behind);
  behind.erase(std::unique(behind.begin(), behind.end()), behind.end());
  if (within == 0 || behind.size() < within) return {.after = peer, .upto = peer};
  return {.after = peer - behind[within - 1], .upto = peer};
}

std::optional<Arc> Neighbourhood::strays(std::size_t replicas) const {
  if (chain_.size() < replicas) return {};
  return Arc{.after = self_, .upto = chain_[replicas - 1]};
}

}  // namespace beckon::service
