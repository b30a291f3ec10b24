// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "chord/ring_node.h"

namespace beckon::sim {

using chord::Frame;
using chord::Id;
using chord::PeerRef;

/// What survives a crash. A process may keep more in a class of its own.
struct Disk {
  std::uint64_t epoch = 0;  // raised before each life
  virtual ~Disk() = default;
  virtual void hurt(Rng&) {}  // the next writes may fail
  virtual void mend() {}
};

/// What a simulated process wants done after a step; the world does it, or a prefix of it.
struct Actions {
  std::vector<Frame> send{};
  std::vector<std::string> dial{};
  std::vector<Id> close{};
  std::vector<chord::LookupDone> lookups{};
  Time wake_at = Time::max();
  bool exit = false;
};

/// One program on one simulated host: chord::RingNode alone (tests/sim/ring_process.h) or a whole
/// node (tests/world/service_process.h). The world calls it as a driver would.
class Process {
 public:
  virtual ~Process() = default;
  virtual Actions start(Now now) = 0;
  virtual Actions receive(const Frame& frame, Now now) = 0;
  virtual Actions link_up(const chord::LinkUp& link, Now now) = 0;
  virtual Actions link_down(const Id& peer, Now now) = 0;
  virtual Actions unreachable(const PeerRef& peer, Now now) = 0;
  virtual Actions unreachable(const std::string& address, Now now) = 0;
  virtual Actions refused_as_older(const PeerRef& by, const std::string& later_at, Now now) = 0;
  virtual Actions tick(Now now) = 0;
  virtual Actions leave(Now now) = 0;
  virtual Actions find(std::uint64_t tag, const Id& key, chord::Freshness how, Now now) = 0;
  virtual const chord::RingNode& ring() const = 0;
};

/// How a life begins.
struct Birth {
  chord::Options options{};
  PeerRef self{};
  Rng rng{0};
  bool create = false;
  std::vector<std::string> seeds{};
  std::optional<chord::Assume> assume{};  // arbitrary pointers instead of joining
};

class Factory {
 public:
  virtual ~Factory() = default;
  virtual std::unique_ptr<Disk> empty_disk() = 0;
  virtual std::unique_ptr<Process> make(const Birth& birth, Disk& disk) = 0;
};

}  // namespace beckon::sim
