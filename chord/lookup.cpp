// SPDX-License-Identifier: MIT
#include "chord/lookup.h"

#include <algorithm>

namespace beckon::chord {

Lookup::Lookup(const Options& options, const Plan& plan, Time started)
    : self_(plan.self),
      key_(plan.key),
      exclude_self_(plan.exclude_self),
      list_length_(options.list_length),
      max_contacts_(options.lookup_contacts),
      parallel_(options.lookup_parallel),
      started_(started),
      contacts_(plan.contacts) {
  for (const PeerRef& peer : plan.start) add_candidate(peer, key_);
  if (!plan.own_list || key_ == self_.id) return;
  answered_.emplace(distance(self_.id), Contact{.peer = self_, .list = *plan.own_list});
  for (const PeerRef& peer : *plan.own_list) add_candidate(peer, self_.id);
}

void Lookup::add_candidate(const PeerRef& peer, const Id& after) {
  if (peer.id == self_.id || peer.id == after || dead_.contains(peer.id)) return;
  if (!Arc{.after = after, .upto = key_}.contains_inside(peer.id)) return;
  candidates_.emplace(distance(peer.id), peer);
}

std::vector<Lookup::Question> Lookup::questions() {
  if (finding_) return {};
  auto free = [&](std::size_t under_way) { return window_ > under_way ? window_ - under_way : 0; };
  std::vector<PeerRef> next = nearest_open(free(nearer_under_way(true)));
  if (!next.empty()) return put(next, false);
  if (nearer_under_way(false) > 0) return {};
  auto owners = owners_to_ask(free(owners_under_way()));
  if (finding_) return {};
  if (owners) return put(*owners, true);
  finding_ = Finding{.outcome = LookupOutcome::ring_unreachable};
  return {};
}

std::vector<PeerRef> Lookup::nearest_open(std::size_t count) const {
  std::vector<PeerRef> out;
  for (const auto& [far, peer] : candidates_) {
    bool nearer = answered_.empty() || far < answered_.begin()->first;
    if (out.size() == count || !nearer) break;
    if (!asking_.contains(peer.id)) out.push_back(peer);
  }
  return out;
}

/// Questions open to peers nearer than all that answered: their answers could change the end.
std::size_t Lookup::nearer_under_way(bool without_slow) const {
  auto counts = [&](const auto& open) {
    if (open.second || (without_slow && slow_.contains(open.first))) return false;
    return answered_.empty() || distance(open.first) < answered_.begin()->first;
  };
  return static_cast<std::size_t>(std::count_if(asking_.begin(), asking_.end(), counts));
}

std::size_t Lookup::owners_under_way() const {
  auto counts = [&](const auto& open) { return open.second && !slow_.contains(open.first); };
  return static_cast<std::size_t>(std::count_if(asking_.begin(), asking_.end(), counts));
}

/// Walks the lists from the nearest contact on, to the first entry at or behind the key that is not
/// known to be dead. Finds the owner if that entry has answered; else returns whom to ask, which
/// is nobody yet if enough are being asked. Nothing: no such entry is left.
std::optional<std::vector<PeerRef>> Lookup::owners_to_ask(std::size_t count) {
  for (const auto& [far, contact] : answered_) {
    bool is_self = contact.peer.id == self_.id;
    bool alone = contact.list.empty() || outlived_the_ring(contact);
    if (alone && !(is_self && exclude_self_)) {
      found(contact.peer, contact, {});
      return std::nullopt;
    }
    std::vector<PeerRef> ask;
    bool first_open = true;
    for (const PeerRef& entry : contact.list) {
      bool before_key = Arc{.after = contact.peer.id, .upto = key_}.contains_inside(entry.id);
      bool us = entry.id == self_.id;
      if (before_key || dead_.contains(entry.id) || (us && exclude_self_)) continue;
      auto answer = owners_.find(entry.id);
      if (first_open && (us || answer != owners_.end())) {
        found(entry, contact, us ? std::vector<PeerRef>{} : answer->second.successors);
        return std::nullopt;
      }
      first_open = false;
      bool open = asking_.contains(entry.id) || answer != owners_.end() || us;
      if (!open && ask.size() < count) ask.push_back(entry);
    }
    if (!first_open) return ask;
  }
  return std::nullopt;
}

bool Lookup::outlived_the_ring(const Contact& contact) const {
  if (contact.peer.id != self_.id || contact.list.size() >= list_length_) return false;
  return std::all_of(contact.list.begin(), contact.list.end(),
                     [&](const PeerRef& entry) { return dead_.contains(entry.id); });
}

void Lookup::found(const PeerRef& owner, const Contact& before, std::vector<PeerRef> successors) {
  finding_ = Finding{.outcome = LookupOutcome::found,
                     .owner = owner,
                     .predecessor = before.peer,
                     .list = before.list,
                     .successors = std::move(successors)};
}

std::vector<Lookup::Question> Lookup::put(const std::vector<PeerRef>& peers, bool state) {
  std::vector<Question> out;
  for (const PeerRef& peer : peers) {
    if (contacts_ == max_contacts_) {
      give_up();
      return {};
    }
    ++contacts_;
    asking_.emplace(peer.id, state);
    out.push_back({.peer = peer, .state = state});
  }
  return out;
}

void Lookup::next_answered(const PeerRef& by, const NextReply& reply) {
  if (reply.mode != Mode::member && reply.mode != Mode::leaving) return failed(by.id, false);
  if (asking_.erase(by.id) == 0) return;
  slow_.erase(by.id);
  candidates_.erase(distance(by.id));
  path_.push_back(by.id);
  if (reply.mode == Mode::leaving) {  // what it knows helps; it is no place to end at
    dead_.insert(by.id);
  } else {
    answered_.emplace(distance(by.id), Contact{.peer = by, .list = reply.successors});
  }
  for (const PeerRef& peer : reply.successors) add_candidate(peer, by.id);
  for (const PeerRef& peer : reply.closer) add_candidate(peer, by.id);
}

void Lookup::state_answered(const PeerRef& by, const StateReply& reply) {
  if (reply.mode != Mode::member) return failed(by.id, false);
  if (asking_.erase(by.id) == 0) return;
  slow_.erase(by.id);
  path_.push_back(by.id);
  owners_.emplace(by.id, reply);
}

void Lookup::failed(const Id& peer, bool silent) {
  if (asking_.erase(peer) == 0) return;
  slow_.erase(peer);
  dead_.insert(peer);
  candidates_.erase(distance(peer));
  if (silent) window_ = parallel_;
}

void Lookup::slow(const Id& peer) {
  if (asking_.contains(peer)) slow_.insert(peer);
}

void Lookup::give_up() {
  if (!finding_) finding_ = Finding{.outcome = LookupOutcome::timed_out};
}

std::vector<std::vector<Id>> Lookup::lists_to_adopt() const {
  std::vector<std::vector<Id>> out;
  for (const auto& [far, contact] : answered_) {
    std::vector<Id>& ids = out.emplace_back();
    for (const PeerRef& peer : contact.list) {
      bool behind = !Arc{.after = contact.peer.id, .upto = self_.id}.contains(peer.id);
      if (!ids.empty() || behind) ids.push_back(peer.id);
    }
    if (contact.list.empty()) ids.push_back(contact.peer.id);
  }
  return out;
}

}  // namespace beckon::chord
