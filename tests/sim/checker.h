// SPDX-License-Identifier: MIT
#pragma once

#include "tests/sim/plan.h"
#include "tests/world/invariants.h"

namespace beckon::sim {

/// Watches every step: the safety checks of the plan's regime, and in every regime I6 (only the
/// operation that holds the slot writes the successor list), I7 (nothing from a life older than one
/// already seen), I8 (what waits for an answer has a request under way), bounded output, and that
/// nobody asks for ever to be called at once. Keeps the first violation.
class Checker final : public Observer {
 public:
  Checker(const World& world, const Plan& plan) : world_(world), plan_(plan) {}

  void before(const Event& event) override;
  void after(const Event& event, const Actions& actions) override;
  void note(const std::string&) override { view_.reset(); }  // somebody came or went

  /// To be called between events: checks whatever of the ring has changed.
  void look();
  void set_base(std::set<Id> base) {
    base_ = std::move(base);
    view_.reset();
  }
  const Violation& violation() const { return violation_; }

 private:
  void check_single_writer(const Event& event, const chord::RingNode& node);
  void check_adoption(const Event& event, const chord::RingNode& node);
  void check_epochs(const Event& event, const chord::RingNode& node);
  bool same_list(const chord::RingNode& node) const;
  void check_bounds(const Actions& actions);
  void check_idle(const Event& event);
  void look_at_everybody();
  void look_at(std::size_t index);
  void look_at_ring();
  void fail(const std::string& what);

  const World& world_;
  const Plan& plan_;
  std::set<Id> base_{};
  std::optional<RingView> view_{};                  // as long as its members are the members
  std::vector<HostNumber> changed_{};               // whose lists did, since the last look
  std::vector<std::optional<std::size_t>> next_{};  // of each in the view: its best successor
  bool ring_moved_ = false;
  std::vector<Id> list_before_{};
  chord::Mode mode_before_{};
  bool operation_before_ = false;
  std::optional<chord::RingNode> node_before_{};  // only when the frame must change nothing
  struct Life {
    std::uint64_t hearer{};  // which life of its
    std::uint64_t epoch{};
    Time heard{};
  };
  std::unordered_map<std::pair<HostNumber, Id>, Life, Spread> epochs_{};  // who heard of whom
  Time last_wake_{};
  std::size_t wakes_ = 0;  // in a row, at one moment
  Violation violation_{};
};

}  // namespace beckon::sim
