// SPDX-License-Identifier: MIT
// What a node does as time passes. Periodic, not reactive: a failure brings at most one extra
// round.
#include <algorithm>

#include "chord/ring_node.h"
#include "chord/wire.h"

namespace beckon::chord {

Output RingNode::tick(Now now) {
  now_ = now;
  Output out;
  if (mode() == Mode::left) return finished(std::move(out));
  expire(out);
  obey(lookups_.tick(requests_, view()), out);
  if (mode() == Mode::joining && joining_.next() <= now.mono) try_join(out);
  if (mode() == Mode::member) {
    auto due = [&](Rounds::Kind kind) { return rounds_.due(kind, now.mono, rng_); };
    if (due(Rounds::stabilize)) stabilize(out);
    if (due(Rounds::check_predecessor)) check_predecessor(out);
    if (due(Rounds::refresh_finger)) refresh_finger(out);
    if (due(Rounds::probe)) probe(out);
    if (due(Rounds::remember)) remember(out);
  }
  if (farewell_.over_at() <= now.mono) maintenance_.left();
  return finished(std::move(out));
}

void RingNode::become_member() {
  joining_.end();
  rounds_.begin(now_.mono, rng_);
}

void RingNode::expire(Output& out) {
  for (const auto& [number, request] :
       requests_.take_expired(now_.mono, options_.expiries_per_tick)) {
    bool was_dead = trips_.dead(request.peer.id);
    trips_.missed(request.peer.id, request.sent, now_.mono);
    tell_dead(request.peer, was_dead, "is silent", out);
    request_failed(request, out);
  }
}

void RingNode::stabilize(Output& out) {
  std::set<Id> dead;
  for (const PeerRef& peer : successors()) {
    if (trips_.dead(peer.id)) dead.insert(peer.id);
  }
  // With nobody left in the list, whoever we have met ahead of us is a better start than our
  // predecessor, which lies all round the ring: from there the way back is walked a few peers a
  // round.
  bool lost = successors().empty();
  if (!lost || !ask_nearest_met(out)) obey(maintenance_.stabilize(dead), out);
  check_list_entry(out);
}

/// At most every second time: who was met may be no member, and must not keep us from what else
/// would help.
bool RingNode::ask_nearest_met(Output& out) {
  if (maintenance_.busy()) return false;
  auto met = asked_met_ ? std::nullopt : nearest_met();
  asked_met_ = met.has_value();
  if (met) obey(maintenance_.try_candidate(*met), out);
  return asked_met_;
}

/// Of our fingers and of the peers linked to us, the first between us and our first successor. In
/// an ideal ring only who is no member can be there.
std::optional<PeerRef> RingNode::nearest_met() const {
  std::optional<PeerRef> nearest;
  Arc before{.after = self().id, .upto = successors().empty() ? self().id : successors()[0].id};
  auto consider = [&](const PeerRef& peer) {
    if (!before.contains_inside(peer.id) || trips_.dead(peer.id)) return;
    before.upto = peer.id;
    nearest = peer;
  };
  for (const PeerRef& peer : fingers_.distinct()) consider(peer);
  for (const PeerRef& peer : book_.known()) {
    if (links_.contains(peer.id)) consider(peer);
  }
  return nearest;
}

void RingNode::check_predecessor(Output& out) {
  if (!predecessor()) return;
  if (trips_.dead(predecessor()->id)) {
    book_.add_passive(*predecessor(), now_.mono);
    return maintenance_.flush(Id(predecessor()->id));
  }
  ask(*predecessor(), Ping{.nonce = rng_.next()}, {Purpose::flush}, out);
}

/// One entry of the list per round, so that lookups and people know which of them live.
void RingNode::check_list_entry(Output& out) {
  if (successors().size() < 2) return;
  const PeerRef& entry = successors()[rounds_.next_entry(successors().size())];
  ask(PeerRef(entry), Ping{.nonce = rng_.next()}, {Purpose::check_entry}, out);
}

void RingNode::refresh_finger(Output& out) {
  if (successors().empty() || lookups_.full()) return;
  int exponent = fingers_.next_exponent(successors().front().id);
  if (exponent < 0) return;
  obey(lookups_.refresh_finger(exponent, view()), out);
}

void RingNode::probe(Output& out) {
  // A first successor far too far ahead hides all before it, from the lookups of others too.
  if (ask_nearest_met(out)) return;
  std::size_t seeds = book_.seeds().size();
  bool use_seed = seeds > 0 && rng_.below(seeds + book_.known().size()) < seeds;
  if (use_seed) {
    std::string address = *book_.pick_seed(rng_);
    if (links_.dial(address)) out.dial.push_back(address);
    return;
  }
  if (auto peer = book_.pick(rng_, now_.mono)) probe_through(*peer, out);
}

/// Who would follow us in the ring that peer is in? If it is a better successor, it is the way in.
void RingNode::probe_through(const PeerRef& peer, Output& out) {
  if (peer.id == self().id || lookups_.full()) return;
  obey(lookups_.probe(peer, view()), out);
}

void RingNode::recover(Output& out) {
  if (!rounds_.may_recover(now_.mono)) return;
  auto several = book_.pick_several(rng_, static_cast<std::size_t>(options_.recover_peers));
  for (const PeerRef& peer : several) probe_through(peer, out);
}

/// Through remembered peers and seeds at once; whichever answers first wins.
void RingNode::try_join(Output& out) {
  if (joining_.must_found_again(self().id, now_.mono)) {
    out.log.push_back(
        {LogLevel::warning, "everybody reached is joining too: this peer begins the ring anew"});
    return maintenance_.found_again();
  }
  joining_.tried(now_.mono, rng_);
  for (const std::string& seed : book_.seeds()) {
    if (links_.dial(seed, options_.dials_at_once)) out.dial.push_back(seed);
  }
  if (lookups_.joining()) return;
  std::vector<PeerRef> some = book_.pick_several(rng_, 3);
  // Most of those remembered may be gone; whoever is linked to us is not.
  for (const PeerRef& peer : book_.known()) {
    if (some.size() < 6 && links_.contains(peer.id)) some.push_back(peer);
  }
  if (!some.empty()) obey(lookups_.join(some, view()), out);
}

void RingNode::remember(Output& out) {
  out.events.emplace_back(PeersToRemember{.known = book_.known(), .passive = book_.passive()});
}

Duration RingNode::timeout(const Id& peer) const {
  Duration rto = trips_.rto(peer);
  return links_.contains(peer) ? rto : std::max(rto, options_.first_timeout);
}

Time RingNode::next_wake() const {
  if (mode() == Mode::left) return Time::max();
  Time soonest = std::min({joining_.next(), farewell_.over_at(), requests_.next_expiry(),
                           lookups_.next_wake(requests_)});
  if (mode() == Mode::member) soonest = std::min(soonest, rounds_.next());
  return soonest;
}

}  // namespace beckon::chord
