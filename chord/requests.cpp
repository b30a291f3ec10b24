// SPDX-License-Identifier: MIT
#include "chord/requests.h"

#include <algorithm>

namespace beckon::chord {

std::optional<std::uint64_t> Requests::add(Pending pending) {
  if (pending_.size() >= limit_) return std::nullopt;
  std::uint64_t number = next_++;
  pending_.emplace(number, std::move(pending));
  return number;
}

std::optional<Requests::Pending> Requests::take(std::uint64_t number, const Id& from) {
  auto found = pending_.find(number);
  if (found == pending_.end() || found->second.peer.id != from) return std::nullopt;
  Pending out = std::move(found->second);
  pending_.erase(found);
  return out;
}

std::vector<Requests::Numbered> Requests::take_expired(Time now, std::size_t most) {
  std::vector<Numbered> out;
  for (auto& entry : pending_) {
    if (out.size() < most && entry.second.expires <= now) out.push_back(entry);
  }
  for (const Numbered& gone : out) pending_.erase(gone.first);
  return out;
}

void Requests::expire_all_to(const Id& peer, Time now) {
  for (auto& [number, pending] : pending_) {
    if (pending.peer.id == peer) pending.expires = std::min(pending.expires, now);
  }
}

void Requests::link_lost(const Id& peer, Time now) {
  expire_all_to(peer, now);
  for (auto& [number, pending] : pending_) pending.link_lost |= pending.peer.id == peer;
}

void Requests::restart_clock(const Id& peer, Time now, Duration timeout) {
  for (auto& [number, pending] : pending_) {
    if (pending.peer.id != peer) continue;
    pending.sent = now;
    pending.expires = now + timeout;
  }
}

Time Requests::next_expiry() const {
  Time soonest = Time::max();
  for (const auto& [number, pending] : pending_) soonest = std::min(soonest, pending.expires);
  return soonest;
}

}  // namespace beckon::chord
