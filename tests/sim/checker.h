#pragma once

#include "tests/sim/invariants.h"
#include "tests/sim/plan.h"

namespace beckon::sim {

/// Watches every step: the safety checks of the plan's regime, and in every regime I6 (only the
/// operation that holds the slot writes the successor list), I7 (nothing from a life older than one
/// already seen), bounded output, and that nobody asks for ever to be called at once. Keeps the
/// first violation.
class Checker final : public Observer {
 public:
  Checker(const World& world, const Plan& plan) : world_(world), plan_(plan) {}

  void before(const Event& event) override;
  void after(const Event& event, const Actions& actions) override;
  void note(const std::string&) override { dirty_ = true; }

  /// To be called between events: checks the ring as a whole if anything about it has changed.
  void look();
  void set_base(std::set<Id> base) { base_ = std::move(base); }
  const Violation& violation() const { return violation_; }

 private:
  void check_single_writer(const Event& event, const chord::Peer& peer);
  void check_adoption(const Event& event, const chord::Peer& peer);
  void check_epochs(const Event& event, const chord::Peer& peer);
  bool same_list(const chord::Peer& peer) const;
  void check_bounds(const Actions& actions);
  void check_idle(const Event& event);
  void fail(const std::string& what);

  const World& world_;
  const Plan& plan_;
  std::set<Id> base_{};
  bool dirty_ = false;
  std::vector<Id> list_before_{};
  chord::Mode mode_before_{};
  bool operation_before_ = false;
  std::optional<chord::Peer> peer_before_{};  // only when the frame must change nothing
  struct Life {
    std::uint64_t epoch{};
    Time heard{};
  };
  std::map<std::tuple<HostNumber, std::uint64_t, Id>, Life> epochs_{};  // by receiver, its life
  Time last_wake_{};
  std::size_t wakes_ = 0;  // in a row, at one moment
  Violation violation_{};
};

}  // namespace beckon::sim
