// What a peer does as time passes. Periodic, not reactive: a failure brings at most one extra
// round.
#include <algorithm>

#include "chord/peer.h"
#include "chord/wire.h"

namespace beckon::chord {

Output Peer::tick(Now now) {
  now_ = now;
  Output out;
  if (mode() == Mode::left) return finished(std::move(out));
  expire(out);
  hedge(out);
  end_lookups_out_of_time(out);
  look_again(out);
  Time t = now.mono;
  if (mode() == Mode::joining && next_join_ <= t) try_join(out);
  if (mode() == Mode::member) {
    if (next_stabilize_ <= t) stabilize(out);
    if (next_check_ <= t) check_predecessor(out);
    if (next_finger_ <= t) refresh_finger(out);
    if (next_probe_ <= t) probe(out);
    if (next_remember_ <= t) remember(out);
  }
  if (leave_by_ <= t) end_leave(out);
  return finished(std::move(out));
}

void Peer::become_member() {
  Time t = now_.mono;
  join_wait_ = options_.join_retry_min;
  next_join_ = Time::max();
  next_stabilize_ = t;
  next_check_ = t + jittered(2 * options_.stabilize_every, 0.25);
  next_remember_ = t + jittered(options_.stabilize_every, 0.25);
  if (options_.fingers) next_finger_ = t + jittered(options_.finger_every / 4, 0.25);
  if (options_.mistake != Mistake::no_probe) {
    next_probe_ = t + jittered(options_.probe_every, 0.5);
  }
}

void Peer::expire(Output& out) {
  for (const auto& [number, request] :
       requests_.take_expired(now_.mono, options_.expiries_per_tick)) {
    trips_.missed(request.peer.id, request.sent, now_.mono);
    request_failed(request, out);
  }
}

/// A lookup whose question is unanswered for half its time-out asks another peer beside it.
void Peer::hedge(Output& out) {
  std::set<std::uint64_t> wake;
  for (const auto& [number, request] : requests_.all()) {
    bool lookup = request.tag >> 56 == static_cast<std::uint64_t>(Purpose::lookup_next) ||
                  request.tag >> 56 == static_cast<std::uint64_t>(Purpose::lookup_state);
    if (!lookup || request.sent + (request.expires - request.sent) / 2 > now_.mono) continue;
    auto open = lookups_.find(request.tag & 0xffffffffffffff);
    if (open == lookups_.end() || open->second.lookup.is_slow(request.peer.id)) continue;
    if (wake.size() == options_.expiries_per_tick) break;
    open->second.lookup.slow(request.peer.id);
    wake.insert(open->first);
  }
  for (std::uint64_t number : wake) drive(number, out);
}

void Peer::end_lookups_out_of_time(Output& out) {
  std::vector<std::uint64_t> late;
  for (const auto& [number, open] : lookups_) {
    if (open.lookup.started() + options_.lookup_time <= now_.mono) late.push_back(number);
  }
  for (std::uint64_t number : late) {
    lookups_.at(number).lookup.give_up();
    finish(number, out);
  }
}

void Peer::stabilize(Output& out) {
  last_stabilize_ = now_.mono;
  next_stabilize_ = now_.mono + jittered(options_.stabilize_every, 0.25);
  std::set<Id> dead;
  for (const PeerRef& peer : successors()) {
    if (trips_.dead(peer.id)) dead.insert(peer.id);
  }
  // With nobody left in the list, whoever we have met ahead of us is a better start than our
  // predecessor, which lies all round the ring: from there the way back is walked a few peers a
  // round. Not always, since the one we have met may be no member.
  bool lost = successors().empty() && options_.mistake != Mistake::no_probe;
  auto met = lost ? nearest_met() : std::nullopt;
  bool ask_met = met && rng_.chance(0.75);
  obey(ask_met ? maintenance_.try_candidate(*met) : maintenance_.stabilize(dead), out);
  check_list_entry(out);
}

/// Of the peers we have met and do not know to be dead, the first between us and our first
/// successor. In an ideal ring there is none.
std::optional<PeerRef> Peer::nearest_met() const {
  std::optional<PeerRef> nearest;
  Arc before{.after = self().id, .upto = successors().empty() ? self().id : successors()[0].id};
  auto consider = [&](const PeerRef& peer) {
    if (!before.contains_inside(peer.id) || trips_.dead(peer.id)) return;
    before.upto = peer.id;
    nearest = peer;
  };
  for (const PeerRef& peer : fingers_.distinct()) consider(peer);
  for (const PeerRef& peer : book_.known()) consider(peer);
  return nearest;
}

void Peer::stabilize_soon() {
  Time earliest = last_stabilize_ == Time::min()
                      ? now_.mono
                      : std::max(now_.mono, last_stabilize_ + options_.stabilize_every / 4);
  next_stabilize_ = std::min(next_stabilize_, earliest);
}

void Peer::check_predecessor(Output& out) {
  next_check_ = now_.mono + jittered(2 * options_.stabilize_every, 0.25);
  if (!predecessor()) return;
  if (trips_.dead(predecessor()->id)) {
    book_.add_passive(*predecessor(), now_.mono);
    return maintenance_.flush(Id(predecessor()->id));
  }
  ask(*predecessor(), Ping{.nonce = rng_.next()}, Purpose::flush, 0, out);
}

/// One entry of the list per round, so that lookups and people know which of them live.
void Peer::check_list_entry(Output& out) {
  if (successors().size() < 2) return;
  next_entry_ = next_entry_ + 1 < successors().size() ? next_entry_ + 1 : 1;
  ask(PeerRef(successors()[next_entry_]), Ping{.nonce = rng_.next()}, Purpose::check_entry, 0, out);
}

void Peer::refresh_finger(Output& out) {
  next_finger_ = now_.mono + jittered(options_.finger_every, 0.25);
  if (successors().empty() || lookups_.size() >= options_.lookups_at_once) return;
  int exponent = fingers_.next_exponent(successors().front().id);
  if (exponent < 0) return;
  begin_lookup(Goal::finger, static_cast<std::uint64_t>(exponent),
               {.self = self(),
                .key = fingers_.start(exponent),
                .start = fingers_.distinct(),
                .own_list = successors()},
               {}, out);
}

void Peer::probe(Output& out) {
  next_probe_ = now_.mono + jittered(options_.probe_every, 0.5);
  // A first successor far too far ahead hides all before it, from the lookups of others too.
  if (auto met = nearest_met()) obey(maintenance_.try_candidate(*met), out);
  std::size_t seeds = book_.seeds().size();
  bool use_seed = seeds > 0 && rng_.below(seeds + book_.known().size()) < seeds;
  if (use_seed) {
    std::string address = *book_.pick_seed(rng_);
    if (dialling_.insert(address).second) out.dial.push_back(address);
    return;
  }
  if (auto peer = book_.pick(rng_, now_.mono)) probe_through(*peer, out);
}

/// Who would follow us in the ring that peer is in? If it is a better successor, it is the way in.
void Peer::probe_through(const PeerRef& peer, Output& out) {
  if (peer.id == self().id || lookups_.size() >= options_.lookups_at_once) return;
  begin_lookup(Goal::probe, 0,
               {.self = self(), .key = self().id, .exclude_self = true, .start = {peer}}, peer,
               out);
}

void Peer::recover(Output& out) {
  if (next_recover_ > now_.mono || options_.mistake == Mistake::no_probe) return;
  next_recover_ = now_.mono + options_.probe_every;
  auto several = book_.pick_several(rng_, static_cast<std::size_t>(options_.recover_peers));
  for (const PeerRef& peer : several) probe_through(peer, out);
}

/// Through remembered peers and seeds at once; whichever answers first wins.
void Peer::try_join(Output& out) {
  if (must_found_again()) {
    out.log.push_back(
        {LogLevel::warning, "everybody reached is joining too: this peer begins the ring anew"});
    return maintenance_.found_again();
  }
  retry_join(jittered(join_wait_, 0.25));
  join_wait_ = std::min(2 * join_wait_, options_.join_retry_max);
  for (const std::string& seed : book_.seeds()) {
    if (dialling_.size() < options_.dials_at_once && dialling_.insert(seed).second)
      out.dial.push_back(seed);
  }
  for (const auto& [number, open] : lookups_) {
    if (open.goal == Goal::join) return;
  }
  std::vector<PeerRef> some = book_.pick_several(rng_, 3);
  // Most of those remembered may be gone; whoever is linked to us is not.
  for (const PeerRef& peer : book_.known()) {
    if (some.size() < 6 && links_.contains(peer.id)) some.push_back(peer);
  }
  if (some.empty()) return;
  begin_lookup(Goal::join, 0,
               {.self = self(), .key = self().id, .exclude_self = true, .start = some}, {}, out);
}

/// A seed has answered: an open search takes it in, else it starts one.
void Peer::join_through(const PeerRef& peer, Output& out) {
  for (auto& [number, open] : lookups_) {
    if (open.goal != Goal::join) continue;
    open.lookup.also_start(peer);
    return drive(std::uint64_t(number), out);
  }
  begin_lookup(Goal::join, 0,
               {.self = self(), .key = self().id, .exclude_self = true, .start = {peer}}, peer,
               out);
}

bool Peer::must_found_again() const {
  Time since = now_.mono - 2 * options_.found_again_after - join_wait_;
  if (!was_member_ || join_since_ + options_.found_again_after > now_.mono) return false;
  std::size_t fresh = 0;
  for (const auto& [id, heard] : joining_too_) {
    if (heard < since) continue;
    if (id < self().id) return false;
    ++fresh;
  }
  return fresh > 0;
}

void Peer::retry_join(Duration wait) { next_join_ = now_.mono + wait; }

void Peer::end_leave(Output&) {
  leave_by_ = Time::max();
  maintenance_.left();
}

void Peer::remember(Output& out) {
  next_remember_ = now_.mono + jittered(options_.remember_every, 0.25);
  out.events.emplace_back(PeersToRemember{.known = book_.known(), .passive = book_.passive()});
}

Duration Peer::jittered(Duration period, double share) {
  double factor = 1 + share * (2 * rng_.real() - 1);
  return Duration(static_cast<Duration::rep>(static_cast<double>(period.count()) * factor));
}

Duration Peer::timeout(const Id& peer) const {
  Duration rto = trips_.rto(peer);
  return links_.contains(peer) ? rto : std::max(rto, options_.first_timeout);
}

Time Peer::next_wake() const {
  if (mode() == Mode::left) return Time::max();
  Time soonest = std::min({next_join_, leave_by_, requests_.next_expiry()});
  if (mode() == Mode::member) {
    soonest = std::min(
        {soonest, next_stabilize_, next_check_, next_finger_, next_probe_, next_remember_});
  }
  for (const auto& [number, open] : lookups_) {
    soonest = std::min({soonest, open.again_at, open.lookup.started() + options_.lookup_time});
  }
  for (const auto& [number, request] : requests_.all()) {
    auto open = lookups_.find(request.tag & 0xffffffffffffff);
    bool lookup = request.tag >> 56 == static_cast<std::uint64_t>(Purpose::lookup_next) ||
                  request.tag >> 56 == static_cast<std::uint64_t>(Purpose::lookup_state);
    if (!lookup || open == lookups_.end() || open->second.lookup.is_slow(request.peer.id)) continue;
    soonest = std::min(soonest, request.sent + (request.expires - request.sent) / 2);
  }
  return soonest;
}

}  // namespace beckon::chord
