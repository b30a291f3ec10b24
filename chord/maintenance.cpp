// SPDX-License-Identifier: MIT
#include "chord/maintenance.h"

#include <algorithm>
#include <utility>

#include "base/result.h"

namespace beckon::chord {

Maintenance::Maintenance(const Options& options, PeerRef self)
    : self_(std::move(self)),
      list_length_(options.list_length),
      candidate_chain_(options.candidate_chain),
      successors_(self_.id, options.list_length) {
  ENSURE(list_length_ > 0);
}

void Maintenance::create() {
  ENSURE(mode_ == Mode::idle);
  mode_ = Mode::member;
}

void Maintenance::begin_join() {
  ENSURE(mode_ == Mode::idle);
  mode_ = Mode::joining;
}

bool Maintenance::join(const PeerRef& before, const std::vector<PeerRef>& list) {
  ENSURE(mode_ == Mode::joining);
  // Entries up to ourselves are dead, or are ourselves when `before` has not noticed our crash.
  auto behind_us = [&](const PeerRef& peer) {
    return !Arc{.after = before.id, .upto = self_.id}.contains(peer.id);
  };
  std::vector<PeerRef> tail(std::find_if(list.begin(), list.end(), behind_us), list.end());
  if (list.empty()) tail = {before};
  if (tail.empty()) return false;
  successors_.rebuild(tail.front(), {tail.begin() + 1, tail.end()});
  if (successors_.empty()) return false;
  predecessor_ = before;
  mode_ = Mode::member;
  return true;
}

void Maintenance::found_again() {
  ENSURE(mode_ == Mode::joining);
  mode_ = Mode::member;
}

void Maintenance::begin_leave() {
  if (mode_ == Mode::member || mode_ == Mode::joining) mode_ = Mode::leaving;
  operation_ = {};
  rectify_.reset();
}

void Maintenance::left() {
  begin_leave();
  mode_ = Mode::left;
}

void Maintenance::assume(std::optional<PeerRef> predecessor,
                         const std::vector<PeerRef>& successors) {
  ENSURE(mode_ == Mode::idle);
  mode_ = Mode::member;
  predecessor_ = std::move(predecessor);
  if (successors.empty()) return;
  successors_.rebuild(successors.front(), {successors.begin() + 1, successors.end()});
}

Maintenance::Effects Maintenance::stabilize(const std::set<Id>& dead) {
  if (mode_ != Mode::member || busy()) return {};
  if (successors_.empty()) {
    if (predecessor_) return ask_candidate(*predecessor_, 0);
    return {.recover = true};
  }
  Effects effects;
  while (!successors_.empty() && dead.contains(successors_.first().id)) {
    effects.silent.push_back(successors_.first());
    successors_.pop_front();
  }
  if (successors_.empty()) {
    effects.stabilize_soon = true;
    return effects;
  }
  operation_ = AskSuccessor{.target = successors_.first()};
  effects.ask = successors_.first();
  return effects;
}

Maintenance::Effects Maintenance::try_candidate(const PeerRef& candidate) {
  if (mode_ != Mode::member || busy() || !successors_.improves(candidate.id)) return {};
  return ask_candidate(candidate, 0);
}

Maintenance::Effects Maintenance::ask_candidate(const PeerRef& candidate, int chain) {
  operation_ = AskCandidate{.target = candidate, .chain = chain};
  return {.ask = candidate};
}

Maintenance::Effects Maintenance::op_answered(const PeerRef& by, const StateReply& reply) {
  ENSURE(busy());
  if (auto* op = std::get_if<AskSuccessor>(&operation_)) {
    ENSURE(op->target.id == by.id);
    return answered_by_successor({.target = by, .depth = op->depth}, reply);
  }
  const AskCandidate& op = std::get<AskCandidate>(operation_);
  ENSURE(op.target.id == by.id);
  return answered_by_candidate({.target = by, .chain = op.chain}, reply);
}

bool Maintenance::worth_asking(const std::optional<PeerRef>& candidate, const Id& before) const {
  return candidate && candidate->id != self_.id &&
         Arc{.after = self_.id, .upto = before}.contains_inside(candidate->id);
}

Maintenance::Effects Maintenance::answered_by_successor(AskSuccessor op, const StateReply& reply) {
  if (reply.mode != Mode::member) return op_failed(Failure::not_member);
  successors_.rebuild(op.target, reply.successors);
  if (!worth_asking(reply.predecessor, op.target.id)) return finish();
  return ask_candidate(*reply.predecessor, 0);
}

Maintenance::Effects Maintenance::answered_by_candidate(AskCandidate op, const StateReply& reply) {
  if (reply.mode != Mode::member || !successors_.improves(op.target.id)) return finish();
  successors_.rebuild(op.target, reply.successors);
  if (op.chain >= candidate_chain_ || !worth_asking(reply.predecessor, op.target.id)) {
    return finish();
  }
  Effects effects = ask_candidate(*reply.predecessor, op.chain + 1);
  effects.notify.push_back(op.target);
  return effects;
}

Maintenance::Effects Maintenance::op_failed(Failure failure) {
  ENSURE(busy());
  if (failure == Failure::heard_meanwhile) return finish();
  if (auto* op = std::get_if<AskSuccessor>(&operation_)) {
    return drop_head_and_go_on(op->depth, failure);
  }
  return finish();
}

Maintenance::Effects Maintenance::drop_head_and_go_on(std::size_t depth, Failure failure) {
  Effects effects;
  if (failure == Failure::dead) effects.silent.push_back(successors_.first());
  successors_.pop_front();
  if (successors_.empty() || depth + 1 >= list_length_) {
    operation_ = {};
    effects.stabilize_soon = true;
    return effects;
  }
  operation_ = AskSuccessor{.target = successors_.first(), .depth = depth + 1};
  effects.ask = successors_.first();
  return effects;
}

Maintenance::Effects Maintenance::finish() {
  operation_ = {};
  Effects effects;
  if (!successors_.empty()) effects.notify.push_back(successors_.first());
  return effects;
}

Maintenance::Effects Maintenance::notified(const PeerRef& by) {
  if (mode_ != Mode::member || by.id == self_.id) return {};
  bool alone = successors_.empty();
  bool nearer =
      predecessor_ && Arc{.after = predecessor_->id, .upto = self_.id}.contains_inside(by.id);
  if (!predecessor_ || predecessor_->id == by.id || nearer) {
    predecessor_ = by;
    return {.stabilize_soon = alone};
  }
  if (!rectify_) {
    rectify_ = Rectify{.old = *predecessor_, .candidate = by};
    return {.ping = predecessor_, .stabilize_soon = alone};
  }
  if (Arc{.after = rectify_->candidate.id, .upto = self_.id}.contains_inside(by.id)) {
    rectify_->candidate = by;
  }
  return {.stabilize_soon = alone};
}

Maintenance::Effects Maintenance::rectify_done(bool alive, bool dead) {
  if (!rectify_) return {};
  Rectify done = *std::exchange(rectify_, std::nullopt);
  Effects effects;
  if (alive || !predecessor_ || predecessor_->id != done.old.id) return effects;
  if (dead) effects.silent.push_back(done.old);
  predecessor_ = done.candidate;
  return effects;
}

void Maintenance::flush(const Id& predecessor) {
  if (predecessor_ && predecessor_->id == predecessor) predecessor_.reset();
}

bool Maintenance::owns(const Id& key) const {
  if (mode_ != Mode::member) return false;
  Id before = predecessor_ ? predecessor_->id : self_.id;
  bool knows_range = predecessor_ || successors_.empty() || key == self_.id;
  return knows_range && Arc{.after = before, .upto = self_.id}.contains(key);
}

StateReply Maintenance::state(std::uint64_t epoch) const {
  return {.mode = mode_,
          .epoch = epoch,
          .predecessor = predecessor_,
          .successors = successors_.entries()};
}

}  // namespace beckon::chord
