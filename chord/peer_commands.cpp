// What a peer does when told: the handlers of Peer::start.
#include "chord/peer.h"
#include "chord/wire.h"

namespace beckon::chord {

void Peer::on(const Create&, Output& out) {
  if (mode() != Mode::idle) {
    out.log.push_back({LogLevel::warning, "create refused: this peer has started already"});
    return;
  }
  maintenance_.create();
}

void Peer::on(const Join& join, Output& out) {
  if (mode() != Mode::idle) {
    out.log.push_back({LogLevel::warning, "join refused: this peer has started already"});
    return;
  }
  maintenance_.begin_join();
  book_.set_seeds(join.seeds);
  for (const PeerRef& peer : join.remembered) {
    if (peer.id != self().id) book_.add_known(peer, now_.mono);
  }
  for (const PeerRef& peer : join.passive) {
    if (peer.id != self().id) book_.add_passive(peer, now_.mono);
  }
  was_member_ = !join.remembered.empty();
  join_since_ = now_.mono;
  next_join_ = now_.mono;
}

void Peer::on(const BeginLeave&, Output&) {
  if (mode() == Mode::idle) return maintenance_.left();
  maintenance_.begin_leave();
  next_join_ = Time::max();
}

void Peer::on(const LeaveNow&, Output& out) {
  if (mode() == Mode::left) return;
  if (mode() == Mode::idle) return maintenance_.left();
  maintenance_.begin_leave();
  next_join_ = Time::max();
  std::map<Id, PeerRef> listeners;
  auto tell = [&](const PeerRef& peer) {
    if (listeners.size() < options_.farewells) listeners.emplace(peer.id, peer);
  };
  if (predecessor()) tell(*predecessor());
  for (const PeerRef& peer : successors()) tell(peer);
  for (const auto& [id, heard] : notifiers_) {
    bool recent = heard.second + 4 * options_.stabilize_every >= now_.mono;
    if (recent) tell(heard.first);
  }
  for (const auto& [id, peer] : listeners) {
    ask(peer, Leave{.epoch = epoch_}, Purpose::leave, 0, out);
  }
  leave_by_ = listeners.empty() ? now_.mono : now_.mono + options_.leave_wait;
}

void Peer::on(const FindOwner& find, Output& out) {
  bool can = mode() == Mode::member || mode() == Mode::leaving;
  bool room = lookups_.size() + verifying_.size() < options_.lookups_at_once;
  if (!can || !room) {
    out.events.emplace_back(
        LookupDone{.tag = find.tag, .key = find.key, .outcome = LookupOutcome::ring_unreachable});
    return;
  }
  if (owns(find.key)) {
    out.events.emplace_back(own_answer(find.tag, find.key));
    return;
  }
  auto location = cache_.find(find.key, now_.mono);
  if (!location || find.freshness == Freshness::routed) return find_routed(find, out);
  if (find.freshness == Freshness::cached) {
    out.events.emplace_back(LookupDone{.tag = find.tag,
                                       .key = find.key,
                                       .outcome = LookupOutcome::found,
                                       .owner = location->owner,
                                       .predecessor = location->predecessor,
                                       .successors = location->successors,
                                       .from_cache = true});
    return;
  }
  std::uint64_t number = next_lookup_++;
  PeerRef owner = location->owner;
  verifying_.emplace(number, Verifying{find, *std::move(location), now_.mono});
  ask(owner, StateRequest{}, Purpose::verify, number, out);
}

void Peer::on(const PingPeer& ping, Output& out) {
  ask(ping.peer, Ping{.nonce = rng_.next()}, Purpose::user_ping, ping.tag, out);
}

void Peer::on(const Assume& assume, Output&) {
  maintenance_.assume(assume.predecessor, assume.successors);
  for (const PeerRef& peer : assume.known) book_.add_known(peer, now_.mono);
}

}  // namespace beckon::chord
