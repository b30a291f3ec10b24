// SPDX-License-Identifier: MIT
#pragma once

#include "tests/sim/plan.h"
#include "tests/world/fast_signer.h"
#include "tests/world/service_process.h"

namespace beckon::sim {

/// A disk with what its table was last seen to hold, for D2: a disk that is replaced forgets both.
struct NodeDisk final : ServiceDisk {
  std::map<service::ItemKey, service::Item> last{};
};

class NodeFactory;

/// A whole node that watches its own table for D2.
class NodeProcess final : public ServiceProcess, private service::ItemListener {
 public:
  NodeProcess(const Birth& birth, NodeDisk& disk, NodeFactory& factory);

 private:
  void item_changed(const service::Item* before, const service::Item* after) override;

  NodeFactory& factory_;
  NodeDisk& disk_;
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
  service::AuthorItemRules author_rules_;
  service::RuleBook rules_{};
  service::ReplicaOptions replicas_{};
  bool with_liars_;
  std::vector<PeerRef> liars_{};
};

}  // namespace beckon::sim
