// SPDX-License-Identifier: MIT
#pragma once

#include "tests/sim/node_process.h"

namespace beckon::sim {

/// A hostile node: inside it is a shipped one, but what it answers is altered on its way out, while
/// its factory says so. It names its fellows as neighbours, refuses, keeps silent, and gives away
/// nothing, garbage, altered records or somebody else's.
class Liar final : public Process {
 public:
  Liar(std::unique_ptr<NodeProcess> node, Rng rng, const NodeFactory& factory)
      : node_(std::move(node)), rng_(rng), factory_(factory) {}

  Actions start(Now now) override { return lie(node_->start(now)); }
  Actions receive(const Frame& frame, Now now) override { return lie(node_->receive(frame, now)); }
  Actions link_up(const chord::LinkUp& link, Now now) override {
    return lie(node_->link_up(link, now));
  }
  Actions link_down(const Id& peer, Now now) override { return lie(node_->link_down(peer, now)); }
  Actions unreachable(const PeerRef& peer, Now now) override {
    return lie(node_->unreachable(peer, now));
  }
  Actions unreachable(const std::string& address, Now now) override {
    return lie(node_->unreachable(address, now));
  }
  Actions refused_as_older(const PeerRef& by, const std::string& later_at, Now now) override {
    return lie(node_->refused_as_older(by, later_at, now));
  }
  Actions tick(Now now) override { return lie(node_->tick(now)); }
  Actions leave(Now now) override { return lie(node_->leave(now)); }
  Actions find(std::uint64_t tag, const Id& key, chord::Freshness how, Now now) override {
    return lie(node_->find(tag, key, how, now));
  }
  const chord::RingNode& ring() const override { return node_->ring(); }

 private:
  Actions lie(Actions actions);
  bool alter(Frame& frame);  // false: the frame is not sent
  void alter_ring(Frame& frame);
  void alter_records(Frame& frame);
  std::vector<PeerRef> fellows(const Id& after);  // the other liars, in the order of the ring

  std::unique_ptr<NodeProcess> node_;
  Rng rng_;
  const NodeFactory& factory_;
};

}  // namespace beckon::sim
