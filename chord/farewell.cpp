// SPDX-License-Identifier: MIT
#include "chord/farewell.h"

namespace beckon::chord {

Farewell::Farewell(const Options& options)
    : limit_(options.farewells), recent_(4 * options.stabilize_every), wait_(options.leave_wait) {}

void Farewell::notified(const PeerRef& by, Time now) { notifiers_.touch(by.id) = {by, now}; }

std::map<Id, PeerRef> Farewell::begin(const Maintenance& ring, Time now) {
  std::map<Id, PeerRef> out;
  auto tell = [&](const PeerRef& peer) {
    if (out.size() < limit_) out.emplace(peer.id, peer);
  };
  if (ring.predecessor()) tell(*ring.predecessor());
  for (const PeerRef& peer : ring.successors().entries()) tell(peer);
  notifiers_.each([&](const Id&, const Notifier& notifier) {
    if (notifier.heard + recent_ >= now) tell(notifier.peer);
  });
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
