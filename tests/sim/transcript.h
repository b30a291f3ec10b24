// SPDX-License-Identifier: MIT
#pragma once

#include <ostream>

#include "tests/world/world.h"

namespace beckon::sim {

/// Writes every step as one line for people: when, who, what happened, what changed, what was sent.
class Transcript final : public Observer {
 public:
  Transcript(const World& world, std::ostream& out) : world_(world), out_(out) {}
  void before(const Event& event) override;
  void after(const Event& event, const Actions& actions) override;
  void note(const std::string& text) override;

 private:
  void stamp();

  const World& world_;
  std::ostream& out_;
  std::vector<PeerRef> list_before_{};
  std::optional<PeerRef> predecessor_before_{};
};

std::string frame_text(const Frame& frame);
/// All running hosts with mode, predecessor and list: the ring at one glance.
std::string ring_text(const World& world);

}  // namespace beckon::sim
