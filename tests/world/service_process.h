// SPDX-License-Identifier: MIT
#pragma once

#include <deque>

#include "node/service/assembly/service.h"
#include "tests/world/memory_store.h"
#include "tests/world/process.h"

namespace beckon::sim {

/// The disk of a whole node.
struct ServiceDisk : Disk {
  service::MemoryStore store{};

  void hurt(Rng& rng) override;  // a commit that fails, or a disk that is full
  void mend() override { store.limit_bytes(SIZE_MAX); }
};

/// The shipped service::Service on a simulated host. Writes take their time on a disk that does one
/// after the other; those that a crash overtakes never happened.
class ServiceProcess : public Process {
 public:
  ServiceProcess(const Birth& birth, ServiceDisk& disk, service::ServiceOptions options,
                 const Signer& signer, const service::OverlayId& overlay);

  Actions start(Now now) override;
  Actions receive(const Frame& frame, Now now) override;
  Actions link_up(const chord::LinkUp& link, Now now) override;
  Actions link_down(const Id& peer, Now now) override;
  Actions unreachable(const PeerRef& peer, Now now) override;
  Actions unreachable(const std::string& address, Now now) override;
  Actions refused_as_older(const PeerRef& by, const std::string& later_at, Now now) override;
  Actions tick(Now now) override;
  Actions leave(Now now) override;
  Actions find(std::uint64_t tag, const Id& key, chord::Freshness how, Now now) override;
  const chord::RingNode& ring() const override { return service_.ring(); }

  /// Something done by the node's own services.
  Actions act(const std::function<void(service::Service&)>& action, Now now);
  /// What the world is to do about an output of the service.
  Actions done(service::Output output, Now now);
  service::Service& service() { return service_; }

 protected:
  /// Sees every output first and may take from it what is not for the world.
  virtual void look_at(service::Output&) {}

 private:
  struct PendingWrite {
    Time due{};
    service::Write write{};
  };
  void take(service::Output output, Now now, Actions& actions);

  Birth birth_;
  ServiceDisk& disk_;
  Rng rng_;
  std::deque<PendingWrite> writes_{};
  std::vector<chord::LookupDone> lookups_{};
  service::Service service_;
};

}  // namespace beckon::sim
