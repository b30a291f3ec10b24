// Lookups of a peer: what they are started for and what their ends mean.
#include "chord/peer.h"
#include "chord/wire.h"

namespace beckon::chord {

void Peer::begin_lookup(Goal goal, std::uint64_t tag, const Lookup::Plan& plan, PeerRef through,
                        Output& out) {
  std::uint64_t number = next_lookup_++;
  lookups_.emplace(number, OpenLookup{.goal = goal,
                                      .tag = tag,
                                      .through = std::move(through),
                                      .lookup = Lookup(options_, plan, now_.mono)});
  drive(number, out);
}

void Peer::find_routed(const FindOwner& find, Output& out) {
  begin_lookup(Goal::find, find.tag, plan_for(find.key), {}, out);
}

Lookup::Plan Peer::plan_for(const Id& key) const {
  return {.self = self(),
          .key = key,
          .exclude_self = mode() != Mode::member,
          .start = fingers_.distinct(),
          .own_list = successors()};
}

bool Peer::owns(const Id& key) const {
  if (mode() != Mode::member) return false;
  Id before = predecessor() ? predecessor()->id : self().id;
  bool knows_range = predecessor() || successors().empty() || key == self().id;
  return knows_range && Arc{.after = before, .upto = self().id}.contains(key);
}

LookupDone Peer::own_answer(std::uint64_t tag, const Id& key) const {
  return {.tag = tag,
          .key = key,
          .outcome = LookupOutcome::found,
          .owner = self(),
          .predecessor = predecessor().value_or(self()),
          .successors = successors()};
}

/// Everybody who might own the key was found dead. That lasts until stabilize has mended our list,
/// so the search goes on with what the tables say then, as long as its time and requests allow.
bool Peer::worth_another_try(const OpenLookup& open) const {
  const Lookup& lookup = open.lookup;
  return open.goal == Goal::find && mode() == Mode::member &&
         lookup.finding()->outcome == LookupOutcome::ring_unreachable &&
         lookup.contacts() < options_.lookup_contacts &&
         now_.mono + options_.lookup_again < lookup.started() + options_.lookup_time;
}

void Peer::look_again(Output& out) {
  std::vector<std::uint64_t> due;
  for (const auto& [number, open] : lookups_) {
    if (open.again_at <= now_.mono && due.size() < options_.expiries_per_tick) {
      due.push_back(number);
    }
  }
  for (std::uint64_t number : due) {
    auto waiting = lookups_.extract(number);
    OpenLookup& open = waiting.mapped();
    const Lookup& tried = open.lookup;
    if (owns(tried.key())) {
      LookupDone done = own_answer(open.tag, tried.key());
      done.contacts = tried.contacts();
      done.took = now_.mono - tried.started();
      out.events.emplace_back(std::move(done));
      continue;
    }
    Lookup::Plan plan = plan_for(tried.key());
    plan.contacts = tried.contacts();
    open.lookup = Lookup(options_, plan, tried.started());
    open.again_at = Time::max();
    // Under a new number: questions of the first try that are still open must not count here.
    std::uint64_t again = waiting.key() = next_lookup_++;
    lookups_.insert(std::move(waiting));
    drive(again, out);
  }
}

void Peer::drive(std::uint64_t number, Output& out) {
  // Each failed ask is a completion too, so go on until the lookup waits for somebody or is done.
  while (true) {
    auto open = lookups_.find(number);
    if (open == lookups_.end() || open->second.again_at != Time::max()) return;
    std::vector<Lookup::Question> questions = open->second.lookup.questions();
    if (open->second.lookup.finding()) return finish(number, out);
    if (questions.empty()) return;
    Id key = open->second.lookup.key();
    for (const Lookup::Question& q : questions) {
      if (q.state)
        ask(q.peer, StateRequest{}, Purpose::lookup_state, number, out);
      else
        ask(q.peer, NextRequest{key}, Purpose::lookup_next, number, out);
    }
  }
}

void Peer::finish(std::uint64_t number, Output& out) {
  if (OpenLookup& open = lookups_.at(number); worth_another_try(open)) {
    open.again_at = now_.mono + options_.lookup_again;
    return;
  }
  auto done = lookups_.extract(number);
  const Lookup::Finding& finding = *done.mapped().lookup.finding();
  if (finding.outcome == LookupOutcome::found && finding.owner.id != self().id) {
    const PeerRef& owner = finding.owner;
    cache_.learn({.arc = {.after = finding.predecessor.id, .upto = owner.id},
                  .owner = owner,
                  .predecessor = finding.predecessor,
                  .successors = finding.successors,
                  .learnt = now_.mono});
  }
  found(done.mapped(), finding, out);
}

void Peer::found(const OpenLookup& done, const Lookup::Finding& finding, Output& out) {
  bool ok = finding.outcome == LookupOutcome::found;
  switch (done.goal) {
    case Goal::find:
      out.events.emplace_back(LookupDone{
          .tag = done.tag,
          .key = done.lookup.key(),
          .outcome = finding.outcome,
          .owner = finding.owner,
          .predecessor = finding.predecessor,
          .successors = finding.owner.id == self().id ? successors() : finding.successors,
          .contacts = done.lookup.contacts(),
          .took = now_.mono - done.lookup.started(),
          .path = done.lookup.path()});
      return;
    case Goal::join:
      return join_found(finding, out);
    case Goal::probe:
      if (done.lookup.path().empty()) return book_.failed(done.through, now_.mono);
      book_.answered(done.through.id);
      if (ok && finding.owner.id != self().id) obey(maintenance_.try_candidate(finding.owner), out);
      return;
    case Goal::finger:
      if (!ok) return;
      for (int exponent = 0; exponent < 160; ++exponent) {
        Arc owned{.after = finding.predecessor.id, .upto = finding.owner.id};
        if (!owned.contains(fingers_.start(exponent))) continue;
        bool wanted = exponent == static_cast<int>(done.tag) || fingers_.all().contains(exponent);
        if (wanted) fingers_.set(exponent, finding.owner);
      }
      return;
  }
}

void Peer::join_found(const Lookup::Finding& finding, Output&) {
  if (mode() != Mode::joining || finding.outcome != LookupOutcome::found) return;
  if (!maintenance_.join(finding.predecessor, finding.list)) {
    retry_join(jittered(std::chrono::milliseconds(750), 1.0 / 3));
  }
}

void Peer::verified(const Verifying& waiting, const StateReply* reply, Output& out) {
  const LocationCache::Location& location = waiting.location;
  bool holds =
      reply != nullptr && reply->mode == Mode::member && reply->predecessor &&
      Arc{.after = reply->predecessor->id, .upto = location.owner.id}.contains(waiting.command.key);
  if (!holds) {
    cache_.drop(location.owner.id);
    return find_routed(waiting.command, out);
  }
  cache_.learn({.arc = {.after = reply->predecessor->id, .upto = location.owner.id},
                .owner = location.owner,
                .predecessor = *reply->predecessor,
                .successors = reply->successors,
                .learnt = now_.mono});
  out.events.emplace_back(LookupDone{.tag = waiting.command.tag,
                                     .key = waiting.command.key,
                                     .outcome = LookupOutcome::found,
                                     .owner = location.owner,
                                     .predecessor = *reply->predecessor,
                                     .successors = reply->successors,
                                     .contacts = 1,
                                     .took = now_.mono - waiting.started,
                                     .path = {location.owner.id},
                                     .from_cache = true});
}

}  // namespace beckon::chord
