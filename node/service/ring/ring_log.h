// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/kernel/kernel.h"

namespace beckon::service {

/// Turns what happens to the ring and its links into lines of the log: who is beside this node and
/// why that changed, whether it is alone, which links there are. Only tells; changes nothing.
class RingLog {
 public:
  explicit RingLog(Kernel& kernel) : kernel_(kernel) {}

  void on_ring(const chord::Event& event);
  void link_up(const chord::LinkUp& link);
  void link_down(const Id& peer, const Error& why);
  void unreachable(const PeerRef& peer, const Error& why);  // the id may be zero

 private:
  void predecessor(const chord::PredecessorChanged& change);
  void successors(const chord::SuccessorsChanged& change);
  void company(const chord::SuccessorsChanged& change);

  Kernel& kernel_;
  bool alone_ = false;  // said so
};

}  // namespace beckon::service
