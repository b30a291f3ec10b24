#include "chord/peer.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "chord/wire.h"

namespace beckon::chord {

Peer::Peer(const Options& options, PeerRef self, std::uint64_t epoch, Rng rng)
    : options_(options),
      epoch_(epoch),
      rng_(rng),
      maintenance_(options, std::move(self)),
      trips_(options),
      requests_(ring_request_bit, options.open_requests),
      fingers_(maintenance_.self().id),
      book_(options),
      cache_(options),
      rates_(options),
      join_wait_(options.join_retry_min) {
  ENSURE(options.list_length <= max_list_entries);
}

Output Peer::start(const Command& command, Now now) {
  now_ = now;
  Output out;
  std::visit([&](const auto& what) { on(what, out); }, command);
  return finished(std::move(out));
}

Output Peer::receive(const Frame& frame, Now now) {
  now_ = now;
  Output out;
  auto link = links_.find(frame.peer.id);
  if (link == links_.end() || mode() == Mode::left) return finished(std::move(out));
  auto message = decode(frame.type, frame.body);
  if (!message) {
    out.log.push_back({LogLevel::warning, "closed the link to " + frame.peer.id.brief() + ": " +
                                              message.error().text});
    out.close.push_back(frame.peer.id);
    lose_link(frame.peer.id);
    return finished(std::move(out));
  }
  trips_.heard(frame.peer.id, now.mono);
  std::visit([&](const auto& what) { on(frame, what, out); }, *message);
  return finished(std::move(out));
}

Output Peer::link_up(const LinkUp& link, Now now) {
  now_ = now;
  Output out;
  bool asked_for = dialling_.erase(link.dialled) > 0;
  const Id& id = link.peer.id;
  if (id == self().id) {
    meet_own_key(link.epoch, id, out);
    return finished(std::move(out));
  }
  auto seen = epochs_.find(id);
  if (older_than_seen(id, link.epoch)) {
    refuse_older_life(link.peer, out);
    return finished(std::move(out));
  }
  if (seen != epochs_.end() && link.epoch > seen->second.epoch) {
    lose_link(id);  // requests on the old link went to a process that is no more
    trips_.forget(id);
  }
  if (epochs_.size() >= options_.tracked_peers && seen == epochs_.end()) {
    auto idle = std::find_if(epochs_.begin(), epochs_.end(),
                             [&](const auto& e) { return !links_.contains(e.first); });
    epochs_.erase(idle == epochs_.end() ? epochs_.begin() : idle);
  }
  epochs_[id] = {.epoch = link.epoch, .linked = now.mono};
  links_[id] = link.epoch;
  trips_.heard(id, now.mono);
  requests_.restart_clock(id, now.mono, timeout(id));
  book_.add_known(link.peer, now.mono);
  if (asked_for && mode() == Mode::member) probe_through(link.peer, out);
  if (asked_for && mode() == Mode::joining) join_through(link.peer, out);
  return finished(std::move(out));
}

/// An epoch guards against two processes with one key at a time. Once the later one has been silent
/// for a while, an earlier one is welcome again: nobody else is there to be confused with.
bool Peer::older_than_seen(const Id& peer, std::uint64_t epoch) const {
  auto seen = epochs_.find(peer);
  if (seen == epochs_.end() || epoch >= seen->second.epoch) return false;
  return links_.contains(peer) || seen->second.linked + options_.epoch_memory > now_.mono;
}

Output Peer::link_down(const Id& peer, Now now) {
  now_ = now;
  Output out;
  lose_link(peer);
  return finished(std::move(out));
}

Output Peer::unreachable(const PeerRef& peer, Now now) {
  now_ = now;
  Output out;
  if (!links_.contains(peer.id)) {
    trips_.missed(peer.id, now.mono, now.mono);
    requests_.expire_all_to(peer.id, now.mono);
    if (trips_.dead(peer.id)) now_dead(peer);
  }
  return finished(std::move(out));
}

Output Peer::unreachable(const std::string& address, Now now) {
  now_ = now;
  Output out;
  const std::vector<std::string>& seeds = book_.seeds();
  bool seed = std::find(seeds.begin(), seeds.end(), address) != seeds.end();
  if (dialling_.erase(address) > 0 && seed && mode() == Mode::joining) {
    out.log.push_back({LogLevel::warning,
                       "no answer from the peer to join at " + printable(address) + "; trying on"});
  }
  return finished(std::move(out));
}

Output Peer::refused_as_older(const PeerRef& by, const std::string& later_at, Now now) {
  now_ = now;
  Output out;
  if (mode() == Mode::left) return finished(std::move(out));
  if (std::exchange(later_at_, later_at) != later_at) {
    out.log.push_back({LogLevel::warning, "peer " + by.id.brief() +
                                              " says that a later process with our key is at " +
                                              printable(later_at) + ": looking there"});
  }
  bool room = dialling_.size() < options_.dials_at_once / 2;  // the rest is for joining
  if (!later_at.empty() && room && dialling_.insert(later_at).second) out.dial.push_back(later_at);
  return finished(std::move(out));
}

/// The link is gone: whatever was asked over it is asked again, once, over a new one.
void Peer::lose_link(const Id& peer) {
  if (links_.erase(peer) == 0) return;
  epochs_[peer].linked = now_.mono;
  requests_.link_lost(peer, now_.mono);
}

/// The only thing that ends us besides our own wish: a handshake has proved that a process with our
/// key lives, and its greeting that it began later.
void Peer::meet_own_key(std::uint64_t epoch, const Id& link, Output& out) {
  out.close.push_back(link);
  if (epoch == epoch_) return;  // we dialled ourselves
  out.log.push_back({LogLevel::error, "another process runs with our key"});
  if (epoch > epoch_) leave_ring(out);
}

void Peer::refuse_older_life(const PeerRef& peer, Output& out) {
  out.log.push_back({LogLevel::warning, "peer " + peer.id.brief() +
                                            " came back with an older epoch: two processes share "
                                            "its key, or its disk was set back"});
  lose_link(peer.id);
  out.close.push_back(peer.id);
}

/// A later process with our key is in the ring: this one is over.
void Peer::leave_ring(Output& out) {
  maintenance_.left();
  out.events.emplace_back(Superseded{});
}

void Peer::now_dead(const PeerRef& peer) {
  bool neighbour = predecessor() && predecessor()->id == peer.id;
  for (const PeerRef& entry : successors()) neighbour |= entry.id == peer.id;
  for (const auto& [exponent, finger] : fingers_.all()) neighbour |= finger.id == peer.id;
  if (neighbour) book_.add_passive(peer, now_.mono);
  fingers_.drop(peer.id);
  cache_.drop(peer.id);
}

void Peer::obey(const Maintenance::Effects& effects, Output& out) {
  for (const PeerRef& peer : effects.silent) {
    book_.add_passive(peer, now_.mono);
    now_dead(peer);
  }
  for (const PeerRef& peer : effects.notify) send(peer, Notify{}, 0, out);
  if (effects.recover) recover(out);
  if (effects.stabilize_soon) stabilize_soon();
  if (effects.ping) ask(*effects.ping, Ping{.nonce = rng_.next()}, Purpose::rectify, 0, out);
  if (effects.ask) ask(*effects.ask, StateRequest{}, Purpose::operation, 0, out);
}

bool Peer::waits_in_vain() const {
  bool operation = maintenance_.busy(), rectify = maintenance_.rectifying();
  std::size_t verify = verifying_.size();
  for (const auto& [number, request] : requests_.all()) {
    operation &= purpose_of(request) != Purpose::operation;
    rectify &= purpose_of(request) != Purpose::rectify;
    verify -= purpose_of(request) == Purpose::verify && verifying_.contains(number_of(request));
  }
  return operation || rectify || verify > 0;
}

Output Peer::finished(Output out) {
  tell_changes(out);
  out.wake_at = next_wake();
  return out;
}

void Peer::tell_changes(Output& out) {
  if (told_.mode != mode()) {
    out.events.emplace_back(ModeChanged{.from = told_.mode, .to = mode()});
    told_.mode = mode();
    if (mode() == Mode::member) become_member();
    if (mode() == Mode::left) abandon_all(out);
  }
  if (told_.predecessor != predecessor()) {
    out.events.emplace_back(PredecessorChanged{.from = told_.predecessor, .to = predecessor()});
    told_.predecessor = predecessor();
  }
  if (told_.successors != successors()) {
    out.events.emplace_back(SuccessorsChanged{.from = told_.successors, .to = successors()});
    told_.successors = successors();
  }
}

/// We are out of the ring: every search that was asked for ends now, everything else is forgotten.
void Peer::abandon_all(Output& out) {
  auto tell = [&](std::uint64_t tag, const Id& key) {
    out.events.emplace_back(
        LookupDone{.tag = tag, .key = key, .outcome = LookupOutcome::ring_unreachable});
  };
  for (const auto& [number, open] : lookups_) {
    if (open.goal == Goal::find) tell(open.tag, open.lookup.key());
  }
  for (const auto& [number, open] : verifying_) tell(open.command.tag, open.command.key);
  lookups_.clear();
  verifying_.clear();
  requests_ = Requests(ring_request_bit, options_.open_requests);
}

std::vector<PeerRef> Peer::neighbours() const {
  std::map<Id, PeerRef> all;
  if (predecessor()) all.emplace(predecessor()->id, *predecessor());
  for (const PeerRef& peer : successors()) all.emplace(peer.id, peer);
  for (const auto& [exponent, peer] : fingers_.all()) all.emplace(peer.id, peer);
  std::vector<PeerRef> out;
  for (auto& [id, peer] : all) out.push_back(peer);
  return out;
}

double Peer::size_estimate() const {
  const std::vector<PeerRef>& list = successors();
  if (list.size() < options_.list_length) return static_cast<double>(list.size()) + 1;
  Id span = list.back().id - self().id;
  double share = 0;
  for (std::size_t i = 0; i < 8; ++i)
    share += std::ldexp(span.bytes[i], -8 * static_cast<int>(i + 1));
  return share > 0 ? static_cast<double>(list.size()) / share : 1;
}

bool Peer::degraded() const {
  return mode() == Mode::member && successors().empty() && !book_.known().empty();
}

Snapshot Peer::snapshot() const {
  Snapshot out{.id = self().id, .mode = mode(), .operation_open = maintenance_.busy()};
  for (const PeerRef& peer : successors()) out.successors.push_back(peer.id);
  if (predecessor()) out.predecessor = predecessor()->id;
  for (const auto& [number, open] : lookups_) {
    if (open.goal != Goal::join) continue;
    for (const auto& [before, list] : open.lookup.lists()) {
      out.lists_to_adopt.emplace_back();
      auto& ids = out.lists_to_adopt.back();
      for (const PeerRef& peer : list) {
        bool behind = !Arc{.after = before.id, .upto = self().id}.contains(peer.id);
        if (!ids.empty() || behind) ids.push_back(peer.id);
      }
      if (list.empty()) ids.push_back(before.id);
    }
  }
  return out;
}

}  // namespace beckon::chord
