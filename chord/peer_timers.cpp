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
  next_probe_ = t + jittered(options_.probe_every, 0.5);
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
    auto at = hedge_at(request);
    if (!at || *at > now_.mono) continue;
    if (wake.size() == options_.expiries_per_tick) break;
    lookups_.at(number_of(request)).lookup.slow(request.peer.id);
    wake.insert(number_of(request));
  }
  for (std::uint64_t number : wake) drive(number, out);
}

/// When the request of a lookup becomes slow, if it is not already.
std::optional<Time> Peer::hedge_at(const OpenRequest& request) const {
  Purpose purpose = purpose_of(request);
  if (purpose != Purpose::lookup_next && purpose != Purpose::lookup_state) return std::nullopt;
  auto open = lookups_.find(number_of(request));
  if (open == lookups_.end() || open->second.lookup.is_slow(request.peer.id)) return std::nullopt;
  return request.sent + (request.expires - request.sent) / 2;
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
  // round.
  bool lost = successors().empty();
  if (!lost || !ask_nearest_met(out)) obey(maintenance_.stabilize(dead), out);
  check_list_entry(out);
}

/// At most every second time: who was met may be no member, and must not keep us from what else
/// would help.
bool Peer::ask_nearest_met(Output& out) {
  if (maintenance_.busy()) return false;
  auto met = asked_met_ ? std::nullopt : nearest_met();
  asked_met_ = met.has_value();
  if (met) obey(maintenance_.try_candidate(*met), out);
  return asked_met_;
}

/// Of our fingers and of the peers linked to us, the first between us and our first successor. In
/// an ideal ring only who is no member can be there.
std::optional<PeerRef> Peer::nearest_met() const {
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
  if (ask_nearest_met(out)) return;
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
  if (next_recover_ > now_.mono) return;
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
  // When all join, soon somebody must notice that nobody is a member, and then that somebody is.
  bool all_join = was_member_ && !joining_too_.empty();
  join_wait_ =
      std::min(2 * join_wait_, all_join ? options_.found_again_after / 4 : options_.join_retry_max);
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

/// The smaller ones are given time to do it first. They may never do it: newcomers do not, liars
/// need not. Two who do it are joined again by probes.
bool Peer::must_found_again() const {
  Time since = now_.mono - 2 * options_.found_again_after - join_wait_;
  int fresh = 0, smaller = 0;
  for (const auto& [id, heard] : joining_too_) {
    if (heard < since) continue;
    ++fresh;
    smaller += id < self().id ? 1 : 0;
  }
  auto turns = 1 + std::min(smaller, options_.found_again_turns);
  return was_member_ && fresh > 0 && join_since_ + turns * options_.found_again_after <= now_.mono;
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
    soonest = std::min(soonest, hedge_at(request).value_or(Time::max()));
  }
  return soonest;
}

}  // namespace beckon::chord
