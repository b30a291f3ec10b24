// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>

#include "node/service/assembly/hosting.h"
#include "tests/world/fast_signer.h"
#include "tests/world/service_process.h"
#include "tests/world/world.h"

namespace beckon::service {

/// A few whole nodes, known by address, with their HTTP API: a face of sim::World for tests that
/// talk to nodes as their users do. Every frame takes a millisecond; faults are the simulator's
/// business.
class ServiceWorld final : private sim::Factory, private sim::Observer {
 public:
  enum class With : std::uint8_t { ring_only, people };
  explicit ServiceWorld(std::uint64_t seed = 1, With with = With::ring_only);

  struct Node {
    sim::HostNumber host{};
    Service* service{};     // none: the process is down
    Hosting* hosting{};     // none without people, too
    bool finished = false;  // it stays, to be looked at
    std::vector<std::string> log{};
    std::map<ExchangeId, std::string> http{};  // bodies of replies, text of streams
    std::map<ExchangeId, int> status{};
  };

  /// Starts a process with that node's disk.
  void up(const std::string& address, std::vector<std::string> join, bool create = false);
  void kill(const std::string& address);  // at once
  void down(const std::string& address) { world_.leave(node(address).host); }
  void sleep(const std::string& address, Duration time) { world_.pause(node(address).host, time); }
  ExchangeId http(const std::string& address, const HttpRequest& request);
  void hang_up(const std::string& address, ExchangeId exchange);
  /// A frame to frame.peer that its sender never meant to send.
  void inject(const std::string& from, const Frame& frame);
  std::function<void(const std::string& from, const Frame& frame)> tap{};  // sees what arrives

  void run(Duration time) {
    run_until([] { return false; }, time);
  }
  bool run_until(const std::function<bool()>& done, Duration limit);
  Node& node(const std::string& address) { return nodes_.at(address); }
  bool has(const std::string& address) const { return nodes_.contains(address); }
  MemoryStore& disk(const std::string& address);
  Now now() const { return {world_.now(), world_.true_time()}; }
  bool ideal() const;  // all nodes that are up form one ring, predecessors and successors right
  std::uint64_t trace() const { return world_.trace_hash(); }  // of everything that happened

 private:
  using Input = std::function<Output(Service&)>;
  void tell(const std::string& address, const Input& input);
  std::unique_ptr<sim::Disk> empty_disk() override;
  std::unique_ptr<sim::Process> make(const sim::Birth& birth, sim::Disk& disk) override;
  void before(const sim::Event& event) override;
  void after(const sim::Event&, const sim::Actions&) override {}
  void note(const std::string&) override {}

  With with_;
  test::FastSigner signer_{};
  std::map<std::string, Node> nodes_{};
  ExchangeId last_exchange_ = 0;
  sim::World world_;  // last: its processes go first
};

}  // namespace beckon::service
