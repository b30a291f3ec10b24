// SPDX-License-Identifier: MIT
#include "chord/peer_book.h"

#include <algorithm>

namespace beckon::chord {

PeerBook::PeerBook(const Options& options)
    : known_limit_(options.known_peers),
      passive_limit_(options.passive_peers),
      retry_min_(options.passive_retry_min),
      retry_max_(options.passive_retry_max),
      forget_(options.passive_forget) {}

void PeerBook::add_known(const PeerRef& peer, Time now) {
  if (known_.size() >= known_limit_ && !known_.contains(peer.id)) {
    known_.erase(std::min_element(known_.begin(), known_.end(), [](auto& a, auto& b) {
      return std::pair(a.second.answered, a.second.met) <
             std::pair(b.second.answered, b.second.met);
    }));
  }
  Known& entry = known_[peer.id];
  entry.peer = peer;
  entry.met = now;
}

void PeerBook::answered_us(const Id& peer, Time now) {
  if (auto found = known_.find(peer); found != known_.end()) found->second.answered = now;
}

void PeerBook::add_passive(const PeerRef& peer, Time now) {
  if (passive_.contains(peer.id)) return;
  if (passive_.size() >= passive_limit_) {
    passive_.erase(std::min_element(passive_.begin(), passive_.end(), [](auto& a, auto& b) {
      return a.second.since < b.second.since;
    }));
  }
  passive_.emplace(
      peer.id,
      Passive{.peer = peer, .since = now, .next_try = now + retry_min_, .wait = retry_min_});
}

void PeerBook::failed(const PeerRef& peer, Time now) {
  auto found = passive_.find(peer.id);
  if (found == passive_.end()) return;
  Passive& entry = found->second;
  if (entry.since + forget_ < now) {
    passive_.erase(found);
    return;
  }
  entry.wait = std::min(2 * entry.wait, retry_max_);
  entry.next_try = now + entry.wait;
}

std::optional<PeerRef> PeerBook::pick(Rng& rng, Time now) {
  std::vector<PeerRef> due;
  for (const auto& [id, entry] : passive_) {
    if (entry.next_try <= now) due.push_back(entry.peer);
  }
  if (!due.empty() && (known_.empty() || rng.chance(0.5))) return due[rng.below(due.size())];
  if (known_.empty()) return std::nullopt;
  return std::next(known_.begin(), static_cast<long>(rng.below(known_.size())))->second.peer;
}

std::vector<PeerRef> PeerBook::pick_several(Rng& rng, std::size_t count) const {
  std::map<Id, PeerRef> all;
  for (const auto& [id, entry] : known_) all.emplace(id, entry.peer);
  for (const auto& [id, entry] : passive_) all.emplace(id, entry.peer);
  std::vector<PeerRef> out;
  while (out.size() < count && !all.empty()) {
    auto chosen = std::next(all.begin(), static_cast<long>(rng.below(all.size())));
    out.push_back(chosen->second);
    all.erase(chosen);
  }
  return out;
}

std::optional<std::string> PeerBook::pick_seed(Rng& rng) const {
  if (seeds_.empty()) return std::nullopt;
  return seeds_[rng.below(seeds_.size())];
}

std::vector<PeerRef> PeerBook::known() const {
  std::vector<PeerRef> out;
  for (const auto& [id, entry] : known_) out.push_back(entry.peer);
  return out;
}

std::vector<PeerRef> PeerBook::passive() const {
  std::vector<PeerRef> out;
  for (const auto& [id, entry] : passive_) out.push_back(entry.peer);
  return out;
}

}  // namespace beckon::chord
