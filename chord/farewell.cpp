#include "chord/farewell.h"

#include <algorithm>

namespace beckon::chord {

namespace {

constexpr std::size_t max_notifiers = 64;

}  // namespace

Farewell::Farewell(const Options& options)
    : limit_(options.farewells), recent_(4 * options.stabilize_every), wait_(options.leave_wait) {}

void Farewell::notified(const PeerRef& by, Time now) {
  if (notifiers_.size() >= max_notifiers && !notifiers_.contains(by.id)) {
    notifiers_.erase(std::min_element(notifiers_.begin(), notifiers_.end(), [](auto& a, auto& b) {
      return a.second.heard < b.second.heard;
    }));
  }
  notifiers_.insert_or_assign(by.id, Notifier{by, now});
}

std::map<Id, PeerRef> Farewell::begin(const Maintenance& ring, Time now) {
  std::map<Id, PeerRef> out;
  auto tell = [&](const PeerRef& peer) {
    if (out.size() < limit_) out.emplace(peer.id, peer);
  };
  if (ring.predecessor()) tell(*ring.predecessor());
  for (const PeerRef& peer : ring.successors().entries()) tell(peer);
  for (const auto& [id, notifier] : notifiers_) {
    if (notifier.heard + recent_ >= now) tell(notifier.peer);
  }
  over_at_ = out.empty() ? now : now + wait_;
  return out;
}

void Farewell::acknowledged(const Id& by, const Maintenance& ring, Time now) {
  acknowledged_.insert(by);
  auto knows = [&](const PeerRef& peer) { return acknowledged_.contains(peer.id); };
  bool before = !ring.predecessor() || knows(*ring.predecessor());
  bool behind = ring.successors().empty() || knows(ring.successors().first());
  if (before && behind) over_at_ = now;
}

}  // namespace beckon::chord
