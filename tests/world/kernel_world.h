#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "node/service/items/replicas.h"
#include "node/service/kernel/kernel.h"
#include "tests/world/authors.h"
#include "tests/world/memory_store.h"

namespace beckon::test {

/// Replicas on the real ring: each host runs the shipped Kernel (ring peer, requests, timers) and
/// Replicas on virtual time, one seed. Links come up when used and break when a host crashes;
/// frames of a link stay in order. What FakeNet knows at once, these nodes find out by stabilizing.
class KernelWorld {
 public:
  explicit KernelWorld(std::uint64_t seed, service::ReplicaOptions options = {});

  std::size_t add();  // a host, down, with an empty disk
  void start(std::size_t host, bool create = false);
  void crash(std::size_t host);
  void run_for(Duration time);

  service::Replicas& replicas(std::size_t host) { return hosts_[host]->node->replicas; }
  service::MemoryStore& disk(std::size_t host) { return hosts_[host]->disk; }
  bool up(std::size_t host) const { return hosts_[host]->node != nullptr; }
  std::size_t size() const { return hosts_.size(); }
  const chord::Id& id(std::size_t host) const { return hosts_[host]->self.id; }
  WallTime now() const { return clock().wall; }
  std::vector<std::size_t> by_place() const;  // live hosts in ring order
  std::vector<std::size_t> true_replicas(const chord::Id& key, std::size_t count) const;
  /// Something done by a host's own services.
  void act(std::size_t host, const std::function<void(service::Replicas&)>& action);

  FastSigner signer{};

 private:
  struct Node {
    Node(const chord::PeerRef& self, std::uint64_t epoch, const service::Store& store,
         std::uint64_t seed, const service::RuleBook& rules,
         const service::ReplicaOptions& options);
    service::Kernel kernel;
    service::Replicas replicas;
  };
  struct Host {
    chord::PeerRef self{};
    service::MemoryStore disk{};
    std::unique_ptr<Node> node{};
    std::uint64_t life = 0;
    std::set<std::size_t> links{};
    std::map<std::size_t, Time> last_arrival{};
    Time disk_free{};
    Time wake_at = Time::max();
  };

  Now clock() const;
  void at(Time when, std::size_t host, std::function<void()> action);
  /// One input to a host: what it does, and all that follows from it.
  void input(std::size_t host, const std::function<void(service::Kernel&)>& what);
  void send(std::size_t from, const chord::Frame& frame);
  void dial(std::size_t from, std::size_t to, const std::string& address);
  void deliver(std::size_t from, std::size_t to, chord::Frame frame);
  std::size_t find(const chord::Id& id) const;
  Duration delay() { return Duration(rng_.between(500, 30'000)); }

  service::ReplicaOptions options_;
  service::AuthorRecordRules author_rules_{test_overlay, signer};
  service::RuleBook rules_{};
  Rng rng_;
  Time time_{};
  std::uint64_t happened_ = 0;
  struct Happening {
    std::size_t host{};
    std::uint64_t life{};
    std::function<void()> action{};
  };
  std::map<std::pair<Time, std::uint64_t>, Happening> queue_{};
  std::vector<std::unique_ptr<Host>> hosts_{};
};

}  // namespace beckon::test
