// SPDX-License-Identifier: MIT
#include "chord/ring_node.h"

#include <algorithm>
#include <cmath>

#include "chord/wire.h"

namespace beckon::chord {

RingNode::RingNode(const Options& options, PeerRef self, std::uint64_t epoch, Rng rng)
    : options_(options),
      epoch_(epoch),
      rng_(rng),
      maintenance_(options, std::move(self)),
      trips_(options),
      requests_(ring_request_bit, options.open_requests),
      fingers_(maintenance_.self().id),
      book_(options),
      lookups_(options),
      rates_(options),
      links_(options),
      rounds_(options),
      joining_(options),
      farewell_(options) {
  ENSURE(options.list_length <= max_list_entries);
}

Output RingNode::start(const Command& command, Now now) {
  now_ = now;
  Output out;
  std::visit([&](const auto& what) { on(what, out); }, command);
  return finished(std::move(out));
}

Output RingNode::receive(const Frame& frame, Now now) {
  now_ = now;
  Output out;
  if (!links_.contains(frame.peer.id) || mode() == Mode::left) return finished(std::move(out));
  if (!is_known(frame.type, frame.body)) {
    heard(frame.peer, out);
    pass_over(frame, out);
    return finished(std::move(out));
  }
  auto message = decode(frame.type, frame.body);
  if (!message) {
    out.log.push_back({LogLevel::warning,
                       "closed the link to a peer that sent a broken message",
                       {{"peer", frame.peer.id.brief()}, {"reason", message.error().text}}});
    out.close.push_back(frame.peer.id);
    lose_link(frame.peer.id);
    return finished(std::move(out));
  }
  heard(frame.peer, out);
  std::visit([&](const auto& what) { on(frame, what, out); }, *message);
  return finished(std::move(out));
}

Output RingNode::link_up(const LinkUp& link, Now now) {
  now_ = now;
  Output out;
  bool asked_for = links_.dial_ended(link.dialled);
  const Id& id = link.peer.id;
  if (id == self().id) {
    meet_own_key(link.epoch, id, out);
    return finished(std::move(out));
  }
  if (links_.refuses(id, link.epoch, now.mono)) {
    refuse_older_life(link.peer, out);
    return finished(std::move(out));
  }
  if (links_.is_later_life(id, link.epoch)) {
    lose_link(id);  // requests on the old link went to a process that is no more
    trips_.forget(id);
  }
  links_.up(id, link.epoch, now.mono);
  heard(link.peer, out);
  requests_.restart_clock(id, now.mono, timeout(id));
  book_.add_known(link.peer, now.mono);
  if (asked_for && mode() == Mode::member) probe_through(link.peer, out);
  if (asked_for && mode() == Mode::joining) obey(lookups_.join({link.peer}, view()), out);
  return finished(std::move(out));
}

Output RingNode::link_down(const Id& peer, Now now) {
  now_ = now;
  Output out;
  lose_link(peer);
  return finished(std::move(out));
}

Output RingNode::unreachable(const PeerRef& peer, Now now) {
  now_ = now;
  Output out;
  if (!links_.contains(peer.id)) {
    bool was_dead = trips_.dead(peer.id);
    trips_.missed(peer.id, now.mono, now.mono);
    tell_dead(peer, was_dead, "cannot be dialled", out);
    requests_.expire_all_to(peer.id, now.mono);
    if (trips_.dead(peer.id)) now_dead(peer);
  }
  return finished(std::move(out));
}

Output RingNode::unreachable(const std::string& address, Now now) {
  now_ = now;
  Output out;
  const std::vector<std::string>& seeds = book_.seeds();
  bool seed = std::find(seeds.begin(), seeds.end(), address) != seeds.end();
  if (links_.dial_ended(address) && seed && mode() == Mode::joining) {
    out.log.push_back(
        {LogLevel::warning, "no answer from the peer to join; trying on", {{"address", address}}});
  }
  return finished(std::move(out));
}

Output RingNode::refused_as_older(const PeerRef& by, const std::string& later_at, Now now) {
  now_ = now;
  Output out;
  if (mode() == Mode::left) return finished(std::move(out));
  if (std::exchange(later_at_, later_at) != later_at) {
    out.log.push_back({LogLevel::warning,
                       "a peer says that a later process has our key; looking there",
                       {{"peer", by.id.brief()}, {"address", later_at}}});
  }
  if (!later_at.empty() && links_.dial(later_at, options_.dials_at_once / 2)) {
    out.dial.push_back(later_at);  // the other half is for joining
  }
  return finished(std::move(out));
}

/// The link is gone: whatever was asked over it is asked again, once, over a new one.
void RingNode::lose_link(const Id& peer) {
  if (links_.down(peer, now_.mono)) requests_.link_lost(peer, now_.mono);
}

/// The only thing that ends us besides our own wish: a handshake has proved that a process with our
/// key lives, and its greeting that it began later.
void RingNode::meet_own_key(std::uint64_t epoch, const Id& link, Output& out) {
  out.close.push_back(link);
  if (epoch == epoch_) return;  // we dialled ourselves
  out.log.push_back({LogLevel::error, "another process runs with our key"});
  if (epoch > epoch_) leave_ring(out);
}

void RingNode::refuse_older_life(const PeerRef& peer, Output& out) {
  out.log.push_back({LogLevel::warning,
                     "a peer came back with an older epoch: two processes share its key, or its "
                     "disk was set back",
                     {{"peer", peer.id.brief()}, {"address", peer.address}}});
  lose_link(peer.id);
  out.close.push_back(peer.id);
}

/// A later process with our key is in the ring: this one is over.
void RingNode::leave_ring(Output& out) {
  maintenance_.left();
  out.events.emplace_back(Superseded{});
}

/// After what may have brought the verdict "dead" on that peer.
void RingNode::tell_dead(const PeerRef& peer, bool was_dead, const char* why, Output& out) const {
  if (was_dead || !trips_.dead(peer.id)) return;
  out.log.push_back({LogLevel::debug,
                     "a peer counts as dead",
                     {{"peer", peer.id.brief()}, {"address", peer.address}, {"reason", why}}});
}

/// A sign of life.
void RingNode::heard(const PeerRef& peer, Output& out) {
  if (trips_.dead(peer.id)) {
    out.log.push_back({LogLevel::debug,
                       "a peer that counted as dead is alive",
                       {{"peer", peer.id.brief()}, {"address", peer.address}}});
  }
  trips_.heard(peer.id, now_.mono);
}

void RingNode::now_dead(const PeerRef& peer) {
  bool neighbour = predecessor() && predecessor()->id == peer.id;
  for (const PeerRef& entry : successors()) neighbour |= entry.id == peer.id;
  for (const auto& [exponent, finger] : fingers_.all()) neighbour |= finger.id == peer.id;
  if (neighbour) book_.add_passive(peer, now_.mono);
  fingers_.drop(peer.id);
  lookups_.drop(peer.id);
}

void RingNode::obey(const Maintenance::Effects& effects, Output& out) {
  for (const PeerRef& peer : effects.silent) {
    book_.add_passive(peer, now_.mono);
    now_dead(peer);
  }
  for (const PeerRef& peer : effects.notify) send(peer, Notify{}, 0, out);
  if (effects.recover) recover(out);
  if (effects.stabilize_soon) rounds_.stabilize_soon(now_.mono);
  if (effects.ping) ask(*effects.ping, Ping{.nonce = rng_.next()}, {Purpose::rectify}, out);
  if (effects.ask) ask(*effects.ask, StateRequest{}, {Purpose::operation}, out);
}

void RingNode::obey(Lookups::Effects effects, Output& out) {
  for (const Lookups::Question& question : effects.ask) {
    ask(question.peer, question.message, question.purpose, out);
  }
  for (LookupDone& done : effects.done) out.events.emplace_back(std::move(done));
  for (const Lookups::Ended& ended : effects.ended) found(ended, out);
}

void RingNode::found(const Lookups::Ended& ended, Output& out) {
  const Lookup::Finding& finding = ended.finding;
  bool ok = finding.outcome == LookupOutcome::found;
  switch (ended.goal) {
    case Lookups::Goal::find:
      return;
    case Lookups::Goal::join:
      if (mode() != Mode::joining || !ok) return;
      if (maintenance_.join(finding.predecessor, finding.list)) return;
      return joining_.try_soon(now_.mono, rng_);
    case Lookups::Goal::probe:
      if (!ended.answered) return book_.failed(ended.through, now_.mono);
      book_.answered(ended.through.id);
      if (ok && finding.owner.id != self().id) obey(maintenance_.try_candidate(finding.owner), out);
      return;
    case Lookups::Goal::finger:
      if (!ok) return;
      fingers_.learn({.after = finding.predecessor.id, .upto = finding.owner.id}, finding.owner,
                     ended.exponent);
  }
}

bool RingNode::waits_in_vain() const {
  bool operation = maintenance_.busy(), rectify = maintenance_.rectifying();
  for (const auto& [number, request] : requests_.all()) {
    operation &= request.purpose.kind != Purpose::operation;
    rectify &= request.purpose.kind != Purpose::rectify;
  }
  return operation || rectify || lookups_.waits_in_vain(requests_);
}

Output RingNode::finished(Output out) {
  tell_changes(out);
  out.wake_at = next_wake();
  return out;
}

void RingNode::tell_changes(Output& out) {
  if (told_.mode != mode()) {
    out.events.emplace_back(ModeChanged{.from = told_.mode, .to = mode()});
    told_.mode = mode();
    if (mode() == Mode::member) become_member();
    if (mode() == Mode::left) {
      obey({.done = lookups_.abandon_all()}, out);
      requests_ = Requests(ring_request_bit, options_.open_requests);
    }
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

std::vector<PeerRef> RingNode::neighbours() const {
  std::map<Id, PeerRef> all;
  if (predecessor()) all.emplace(predecessor()->id, *predecessor());
  for (const PeerRef& peer : successors()) all.emplace(peer.id, peer);
  for (const auto& [exponent, peer] : fingers_.all()) all.emplace(peer.id, peer);
  std::vector<PeerRef> out;
  for (auto& [id, peer] : all) out.push_back(peer);
  return out;
}

double RingNode::size_estimate() const {
  const std::vector<PeerRef>& list = successors();
  if (list.size() < options_.list_length) return static_cast<double>(list.size()) + 1;
  Id span = list.back().id - self().id;
  double share = 0;
  for (std::size_t i = 0; i < 8; ++i)
    share += std::ldexp(span.bytes[i], -8 * static_cast<int>(i + 1));
  return share > 0 ? static_cast<double>(list.size()) / share : 1;
}

bool RingNode::degraded() const {
  return mode() == Mode::member && successors().empty() && !book_.known().empty();
}

Snapshot RingNode::snapshot() const {
  Snapshot out{.id = self().id, .mode = mode(), .operation_open = maintenance_.busy()};
  for (const PeerRef& peer : successors()) out.successors.push_back(peer.id);
  if (predecessor()) out.predecessor = predecessor()->id;
  out.lists_to_adopt = lookups_.lists_to_adopt();
  return out;
}

}  // namespace beckon::chord
