#pragma once

#include <deque>

#include "node/service/participant/service.h"
#include "tests/sim/plan.h"
#include "tests/world/fast_signer.h"
#include "tests/world/memory_store.h"
#include "tests/world/process.h"

namespace beckon::sim {

/// The disk of a whole node, with what its table was last seen to hold, for D2: a disk that is
/// replaced forgets both.
struct NodeDisk final : Disk {
  service::MemoryStore store{};
  std::map<service::ItemKey, service::Item> last{};

  void hurt(Rng& rng) override;  // a commit that fails, or a disk that is full
  void mend() override { store.limit_bytes(SIZE_MAX); }
};

class NodeFactory;

/// The shipped service::Service on a simulated host. Writes take their time on a disk that does one
/// after the other; those that a crash overtakes never happened.
class NodeProcess final : public Process, private service::ItemListener {
 public:
  NodeProcess(const Birth& birth, NodeDisk& disk, NodeFactory& factory);

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
  const chord::Peer& peer() const override { return service_.ring(); }

  /// Something done by the node's own services.
  Actions act(const std::function<void(service::Service&)>& action, Now now);
  service::Service& service() { return service_; }

 private:
  struct PendingWrite {
    Time due{};
    service::Write write{};
  };
  void take(service::Output output, Now now, Actions& actions);
  Actions done(service::Output output, Now now);
  void item_changed(const service::Item* before, const service::Item* after) override;

  NodeFactory& factory_;
  Birth birth_;
  NodeDisk& disk_;
  Rng rng_;
  WallTime now_{};
  std::deque<PendingWrite> writes_{};
  std::vector<chord::LookupDone> lookups_{};
  service::Service service_;
};

/// Makes whole nodes, all of one overlay; in profile hostile, every tenth one can be made to lie.
class NodeFactory final : public Factory {
 public:
  explicit NodeFactory(const Plan& plan);
  std::unique_ptr<Disk> empty_disk() override { return std::make_unique<NodeDisk>(); }
  std::unique_ptr<Process> make(const Birth& birth, Disk& disk) override;

  const service::ReplicaOptions& replicas() const { return replicas_; }
  const service::RuleBook& rules() const { return rules_; }
  const Signer& signer() const { return signer_; }
  const std::vector<PeerRef>& liars() const { return liars_; }

  bool lying = false;                      // whether the liars do it just now
  std::optional<std::string> went_back{};  // D2, noticed by a node itself

 private:
  test::FastSigner signer_{};
  service::AuthorRecordRules author_rules_;
  service::RuleBook rules_{};
  service::ReplicaOptions replicas_{};
  bool with_liars_;
  std::vector<PeerRef> liars_{};
};

}  // namespace beckon::sim
