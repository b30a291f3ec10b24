// SPDX-License-Identifier: MIT
#include "chord/lookups.h"

#include <algorithm>
#include <set>

namespace beckon::chord {

namespace {

LookupDone unreachable(std::uint64_t tag, const Id& key) {
  return {.tag = tag, .key = key, .outcome = LookupOutcome::ring_unreachable};
}

LookupDone own_answer(std::uint64_t tag, const Id& key, const Maintenance& ring) {
  return {.tag = tag,
          .key = key,
          .outcome = LookupOutcome::found,
          .owner = ring.self(),
          .predecessor = ring.predecessor().value_or(ring.self()),
          .successors = ring.successors().entries()};
}

LookupDone cached_answer(const FindOwner& command, const LocationCache::Location& location) {
  return {.tag = command.tag,
          .key = command.key,
          .outcome = LookupOutcome::found,
          .owner = location.owner,
          .predecessor = location.predecessor,
          .successors = location.successors,
          .from_cache = true};
}

Lookup::Plan plan_for(const Id& key, const Lookups::View& view) {
  return {.self = view.ring.self(),
          .key = key,
          .exclude_self = view.ring.mode() != Mode::member,
          .start = view.fingers.distinct(),
          .own_list = view.ring.successors().entries()};
}

/// For the place that is ours in the ring of these peers.
Lookup::Plan plan_through(const std::vector<PeerRef>& start, const Lookups::View& view) {
  const PeerRef& self = view.ring.self();
  return {.self = self, .key = self.id, .exclude_self = true, .start = start};
}

}  // namespace

Lookups::Effects Lookups::find(const FindOwner& command, const View& view) {
  const auto& [tag, key, freshness] = command;
  bool can = view.ring.mode() == Mode::member || view.ring.mode() == Mode::leaving;
  bool room = open_.size() + verifying_.size() < options_.lookups_at_once;
  if (!can || !room) return {.done = {unreachable(tag, key)}};
  if (view.ring.owns(key)) return {.done = {own_answer(tag, key, view.ring)}};
  auto location = cache_.find(key, view.now);
  if (!location || freshness == Freshness::routed) return route(command, view);
  if (freshness == Freshness::cached) return {.done = {cached_answer(command, *location)}};
  Question question{location->owner, StateRequest{}, {Purpose::verify, next_++}};
  verifying_.emplace(question.purpose.number, Verifying{command, *std::move(location), view.now});
  return {.ask = {std::move(question)}};
}

Lookups::Effects Lookups::route(const FindOwner& command, const View& view) {
  return begin(Goal::find, command.tag, plan_for(command.key, view), view);
}

Lookups::Effects Lookups::join(const std::vector<PeerRef>& start, const View& view) {
  for (auto& [number, open] : open_) {
    if (open.goal != Goal::join) continue;
    for (const PeerRef& peer : start) open.lookup.also_start(peer);
    return drive(number, view);
  }
  return begin(Goal::join, 0, plan_through(start, view), view);
}

Lookups::Effects Lookups::probe(const PeerRef& through, const View& view) {
  return begin(Goal::probe, 0, plan_through({through}, view), view, through);
}

Lookups::Effects Lookups::refresh_finger(int exponent, const View& view) {
  return begin(Goal::finger, static_cast<std::uint64_t>(exponent),
               plan_for(view.fingers.start(exponent), view), view);
}

Lookups::Effects Lookups::begin(Goal goal, std::uint64_t tag, const Lookup::Plan& plan,
                                const View& view, const PeerRef& through) {
  open_.emplace(next_, Open{.goal = goal,
                            .tag = tag,
                            .through = through,
                            .lookup = Lookup(options_, plan, view.now)});
  return drive(next_++, view);
}

Lookups::Effects Lookups::answered(const Purpose& purpose, const PeerRef& by,
                                   const NextReply& reply, const View& view) {
  auto open = open_.find(purpose.number);
  if (open == open_.end()) return {};
  open->second.lookup.next_answered(by, reply);
  return drive(purpose.number, view);
}

Lookups::Effects Lookups::answered(const Purpose& purpose, const PeerRef& by,
                                   const StateReply& reply, const View& view) {
  if (purpose.kind == Purpose::verify) return verified(purpose.number, &reply, view);
  auto open = open_.find(purpose.number);
  if (open == open_.end()) return {};
  open->second.lookup.state_answered(by, reply);
  return drive(purpose.number, view);
}

Lookups::Effects Lookups::failed(const Purpose& purpose, const Id& peer, bool silent,
                                 const View& view) {
  if (purpose.kind == Purpose::verify) return verified(purpose.number, nullptr, view);
  auto open = open_.find(purpose.number);
  if (open == open_.end()) return {};
  open->second.lookup.failed(peer, silent);
  return drive(purpose.number, view);
}

Lookups::Effects Lookups::verified(std::uint64_t number, const StateReply* reply,
                                   const View& view) {
  auto waiting = verifying_.extract(number);
  if (waiting.empty()) return {};
  const auto& [command, location, started] = waiting.mapped();
  const PeerRef& owner = location.owner;
  bool holds = reply != nullptr && reply->mode == Mode::member && reply->predecessor &&
               Arc{.after = reply->predecessor->id, .upto = owner.id}.contains(command.key);
  if (!holds) {
    cache_.drop(owner.id);
    return route(command, view);
  }
  LocationCache::Location now{.arc = {.after = reply->predecessor->id, .upto = owner.id},
                              .owner = owner,
                              .predecessor = *reply->predecessor,
                              .successors = reply->successors,
                              .learnt = view.now};
  LookupDone done = cached_answer(command, now);
  done.contacts = 1;
  done.took = view.now - started;
  done.path = {owner.id};
  cache_.learn(std::move(now));
  return {.done = {std::move(done)}};
}

Lookups::Effects Lookups::drive(std::uint64_t number, const View& view) {
  Effects out;
  drive(number, view, out);
  return out;
}

void Lookups::drive(std::uint64_t number, const View& view, Effects& out) {
  auto found = open_.find(number);
  if (found == open_.end() || found->second.again_at != Time::max()) return;
  Lookup& lookup = found->second.lookup;
  for (const Lookup::Question& question : lookup.questions()) {
    Purpose purpose{question.state ? Purpose::lookup_state : Purpose::lookup_next, number};
    out.ask.push_back({question.peer, *message(purpose), purpose});
  }
  if (lookup.finding()) finish(number, view, out);
}

std::optional<Message> Lookups::message(const Purpose& purpose) const {
  auto open = open_.find(purpose.number);
  if (open == open_.end()) return std::nullopt;
  if (purpose.kind == Purpose::lookup_state) return StateRequest{};
  return NextRequest{open->second.lookup.key()};
}

void Lookups::finish(std::uint64_t number, const View& view, Effects& out) {
  if (Open& open = open_.at(number); worth_another_try(open, view)) {
    open.again_at = view.now + options_.lookup_again;
    return;
  }
  auto node = open_.extract(number);
  const auto& [goal, tag, through, lookup, again_at] = node.mapped();
  const Lookup::Finding& finding = *lookup.finding();
  const PeerRef& owner = finding.owner;
  bool ours = owner.id == view.ring.self().id;
  if (finding.outcome == LookupOutcome::found && !ours) {
    cache_.learn({.arc = {.after = finding.predecessor.id, .upto = owner.id},
                  .owner = owner,
                  .predecessor = finding.predecessor,
                  .successors = finding.successors,
                  .learnt = view.now});
  }
  if (goal != Goal::find) {
    out.ended.push_back({goal, static_cast<int>(tag), through, !lookup.path().empty(), finding});
    return;
  }
  out.done.push_back({.tag = tag,
                      .key = lookup.key(),
                      .outcome = finding.outcome,
                      .owner = owner,
                      .predecessor = finding.predecessor,
                      .successors = ours ? view.ring.successors().entries() : finding.successors,
                      .contacts = lookup.contacts(),
                      .took = view.now - lookup.started(),
                      .path = lookup.path()});
}

/// Everybody who might own the key was found dead. That lasts until stabilize has mended our list,
/// so the search goes on with what the tables say then, as long as its time and requests allow.
bool Lookups::worth_another_try(const Open& open, const View& view) const {
  const Lookup& lookup = open.lookup;
  return open.goal == Goal::find && view.ring.mode() == Mode::member &&
         lookup.finding()->outcome == LookupOutcome::ring_unreachable &&
         lookup.contacts() < options_.lookup_contacts &&
         view.now + options_.lookup_again < lookup.started() + options_.lookup_time;
}

Lookups::Effects Lookups::tick(const Requests& requests, const View& view) {
  Effects out;
  hedge(requests, view, out);
  end_late(view, out);
  look_again(view, out);
  return out;
}

void Lookups::hedge(const Requests& requests, const View& view, Effects& out) {
  std::set<std::uint64_t> wake;
  for (const auto& [frame_number, request] : requests.all()) {
    if (hedge_at(request) > view.now) continue;
    if (wake.size() == options_.expiries_per_tick) break;
    open_.at(request.purpose.number).lookup.slow(request.peer.id);
    wake.insert(request.purpose.number);
  }
  for (std::uint64_t number : wake) drive(number, view, out);
}

/// When the request of a lookup becomes slow, if it is not already.
Time Lookups::hedge_at(const Requests::Pending& request) const {
  auto open = request.purpose.of_lookup() ? open_.find(request.purpose.number) : open_.end();
  if (open == open_.end() || open->second.lookup.is_slow(request.peer.id)) return Time::max();
  return request.sent + (request.expires - request.sent) / 2;
}

void Lookups::end_late(const View& view, Effects& out) {
  std::vector<std::uint64_t> late;
  for (const auto& [number, open] : open_) {
    if (open.lookup.started() + options_.lookup_time <= view.now) late.push_back(number);
  }
  for (std::uint64_t number : late) {
    open_.at(number).lookup.give_up();
    finish(number, view, out);
  }
}

void Lookups::look_again(const View& view, Effects& out) {
  std::vector<std::uint64_t> due;
  for (const auto& [number, open] : open_) {
    if (open.again_at <= view.now && due.size() < options_.expiries_per_tick) due.push_back(number);
  }
  for (std::uint64_t number : due) {
    auto waiting = open_.extract(number);
    Open& open = waiting.mapped();
    const Lookup& tried = open.lookup;
    if (view.ring.owns(tried.key())) {
      LookupDone done = own_answer(open.tag, tried.key(), view.ring);
      done.contacts = tried.contacts();
      done.took = view.now - tried.started();
      out.done.push_back(std::move(done));
      continue;
    }
    Lookup::Plan plan = plan_for(tried.key(), view);
    plan.contacts = tried.contacts();
    open.lookup = Lookup(options_, plan, tried.started());
    open.again_at = Time::max();
    // Under a new number: questions of the first try that are still open must not count here.
    std::uint64_t again = waiting.key() = next_++;
    open_.insert(std::move(waiting));
    drive(again, view, out);
  }
}

std::vector<LookupDone> Lookups::abandon_all() {
  std::vector<LookupDone> out;
  for (const auto& [number, open] : open_) {
    if (open.goal == Goal::find) out.push_back(unreachable(open.tag, open.lookup.key()));
  }
  for (const auto& [number, waiting] : verifying_) {
    out.push_back(unreachable(waiting.command.tag, waiting.command.key));
  }
  open_.clear();
  verifying_.clear();
  return out;
}

bool Lookups::joining() const {
  return std::any_of(open_.begin(), open_.end(),
                     [](const auto& entry) { return entry.second.goal == Goal::join; });
}

bool Lookups::waits_in_vain(const Requests& requests) const {
  std::size_t asked = 0;
  for (const auto& [frame_number, request] : requests.all()) {
    const auto& [kind, number] = request.purpose;
    asked += kind == Purpose::verify && verifying_.contains(number);
  }
  return asked < verifying_.size();
}

Time Lookups::next_wake(const Requests& requests) const {
  Time soonest = Time::max();
  for (const auto& [number, open] : open_) {
    soonest = std::min({soonest, open.again_at, open.lookup.started() + options_.lookup_time});
  }
  for (const auto& [number, request] : requests.all()) {
    soonest = std::min(soonest, hedge_at(request));
  }
  return soonest;
}

std::vector<std::vector<Id>> Lookups::lists_to_adopt() const {
  for (const auto& [number, open] : open_) {
    if (open.goal == Goal::join) return open.lookup.lists_to_adopt();
  }
  return {};
}

}  // namespace beckon::chord
