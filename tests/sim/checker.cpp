// SPDX-License-Identifier: MIT
#include "tests/sim/checker.h"

#include <algorithm>
#include <utility>

namespace beckon::sim {

void Checker::before(const Event& event) {
  const Host& host = world_.hosts()[event.host];
  const chord::RingNode& node = host.process->ring();
  list_before_.clear();
  for (const PeerRef& entry : node.successors()) list_before_.push_back(entry.id);
  mode_before_ = node.mode();
  operation_before_ = node.operation_open();
  node_before_.reset();
  if (event.kind != Event::Kind::deliver) return;
  const Host& sender = world_.hosts()[event.other];
  auto seen = epochs_.find({event.host, sender.self.id});
  if (seen == epochs_.end() || seen->second.hearer != host.life) return;
  if (sender.disk->epoch < seen->second.epoch) node_before_ = node;
  if (sender.disk->epoch == seen->second.epoch) seen->second.heard = world_.now();
}

void Checker::after(const Event& event, const Actions& actions) {
  const chord::RingNode& node = world_.hosts()[event.host].process->ring();
  if (node.mode() != mode_before_) view_.reset();
  if (!same_list(node)) changed_.push_back(event.host);
  check_single_writer(event, node);
  check_epochs(event, node);
  check_bounds(actions);
  check_idle(event);
  if (node.waits_in_vain()) fail("I8: " + node.self().id.brief() + " waits for no answer");
}

bool Checker::same_list(const chord::RingNode& node) const {
  return std::equal(list_before_.begin(), list_before_.end(), node.successors().begin(),
                    node.successors().end(),
                    [](const Id& id, const PeerRef& entry) { return id == entry.id; });
}

void Checker::check_single_writer(const Event& event, const chord::RingNode& node) {
  bool joined = mode_before_ != chord::Mode::member;
  if (same_list(node) || joined) return;
  check_adoption(event, node);
  if (operation_before_) return;
  if (event.kind == Event::Kind::wake) return;  // operations begin in ticks
  fail("I6: " + node.self().id.brief() + " changed its list outside an operation");
}

/// A first successor that was not in the list before is the one whose answer just came.
void Checker::check_adoption(const Event& event, const chord::RingNode& node) {
  if (node.successors().empty()) return;
  const Id& head = node.successors().front().id;
  bool listed = std::find(list_before_.begin(), list_before_.end(), head) != list_before_.end();
  bool answered = event.kind == Event::Kind::deliver && event.frame.peer.id == head;
  if (!listed && !answered) {
    fail("I6: " + node.self().id.brief() + " adopted " + head.brief() + ", which did not answer");
  }
}

void Checker::check_epochs(const Event& event, const chord::RingNode& node) {
  if (node_before_) {
    bool same = node_before_->successors() == node.successors() &&
                node_before_->predecessor() == node.predecessor() &&
                node_before_->mode() == node.mode() &&
                node_before_->operation_open() == node.operation_open() &&
                node_before_->open_requests() == node.open_requests();
    if (!same) fail("I7: " + node.self().id.brief() + " listened to an earlier life");
  }
  if (event.kind != Event::Kind::up) return;
  const Id& id = world_.hosts()[event.other].self.id;
  if (!node.linked().contains(id)) return;
  std::uint64_t hearer = world_.hosts()[event.host].life;
  Life& seen = epochs_[{event.host, id}];
  if (seen.hearer != hearer) seen = {};
  bool recent = seen.heard + plan_.options.epoch_memory > world_.now();
  if (event.frame.request < seen.epoch && recent) {
    fail("I7: " + node.self().id.brief() + " accepted a link to an earlier life");
  }
  seen = {.hearer = hearer, .epoch = event.frame.request, .heard = world_.now()};
}

void Checker::check_bounds(const Actions& actions) {
  auto ring = std::count_if(actions.send.begin(), actions.send.end(),
                            [](const Frame& frame) { return frame.type < 0x20; });
  if (ring > 64) fail("a step sends " + std::to_string(ring) + " frames");
  for (const Frame& frame : actions.send) {
    if (frame.body.size() > chord::max_frame_body) fail("a frame is too large");
  }
}

void Checker::check_idle(const Event& event) {
  bool again = event.kind == Event::Kind::wake && world_.now() == last_wake_;
  wakes_ = again ? wakes_ + 1 : 0;
  last_wake_ = world_.now();
  if (wakes_ > 10'000) fail("a process asks for ever to be called at once");
}

/// Who is a member changes seldom, a list often, and then it is one list: the others, and the ring
/// as long as nobody's best successor is another, are as they were when last looked at.
void Checker::look() {
  if (violation_) return;
  if (!view_) return look_at_everybody();
  for (HostNumber host : std::exchange(changed_, {})) {
    if (auto index = view_->index_of_host(host)) look_at(*index);
  }
  if (ring_moved_) look_at_ring();
}

void Checker::look_at_everybody() {
  changed_.clear();
  view_.emplace(world_.hosts());
  next_.assign(view_->members().size(), std::nullopt);
  for (std::size_t i = 0; i < view_->members().size(); ++i) look_at(i);
  look_at_ring();
}

void Checker::look_at(std::size_t index) {
  if (auto bad = check_list_ordered(*view_, index)) return fail(*bad);
  if (plan_.regime != Regime::within_budget) return;
  if (auto bad = check_live_successor(*view_, index)) return fail(*bad);
  if (auto bad = check_base_principal(*view_, index, base_)) return fail(*bad);
  auto best = view_->best(index);
  ring_moved_ |= best != next_[index];
  next_[index] = best;
}

void Checker::look_at_ring() {
  ring_moved_ = false;
  if (plan_.regime != Regime::within_budget || violation_) return;
  if (auto bad = check_one_ordered_ring(*view_)) fail(*bad);
}

void Checker::fail(const std::string& what) {
  if (violation_) return;
  auto ms = world_.now().time_since_epoch().count() / 1000;
  violation_ =
      what + " (at " + std::to_string(ms) + " ms, step " + std::to_string(world_.steps()) + ")";
}

}  // namespace beckon::sim
