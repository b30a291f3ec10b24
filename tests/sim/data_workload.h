// SPDX-License-Identifier: MIT
#pragma once

#include <set>

#include "tests/sim/node_process.h"
#include "tests/sim/workload.h"
#include "tests/world/authors.h"

namespace beckon::sim {

/// Authors who write, delete and read records through random nodes, with the history of it: every
/// version ever signed, what was acknowledged with all copies, and what each read returned. Watches
/// the data invariants of docs/testing.md (D1 to D7) on the disks and tables of whole nodes.
class DataWorkload final : public Workload {
 public:
  DataWorkload(const Plan& plan, NodeFactory& factory);

  void act(World& world) override;
  bool besiege(World& world, const Pass& pass) override;
  Violation look(const World& world) override;
  Duration repair_time() const override { return 8 * factory_.replicas().sync_period; }
  void read_everything(World& world) override;
  Violation look_quiet(const World& world) override;
  std::map<std::string, std::size_t> counts() const override { return counts_; }

 private:
  using Reach = service::ItemClient::Reach;
  struct Written {  // what is known of one author's record
    std::uint64_t last_seq{};
    service::AuthorItem newest{};
    std::optional<service::Version> safe{};  // the newest version acknowledged with all copies
    bool safe_is_tombstone = false;
    std::optional<service::Version> read_quiet{};  // the newest that a read returned once quiet
  };
  struct Read {  // one read, from the moment it was asked for
    std::size_t who{};
    std::optional<service::Version> safe{};
    bool quiet = false;
    Reach reach{};
  };

  void put(World& world, HostNumber host, std::size_t who);
  void get(World& world, HostNumber host, std::size_t who, Reach reach, bool quiet);
  void returned(const Read& read, const Result<std::vector<service::Item>>& items);
  std::optional<HostNumber> anybody(const World& world);
  std::optional<service::Version> newest_on_disk(const World& world,
                                                 const service::ItemKey& key) const;
  Violation check_tables(const World& world) const;
  Violation check_place(const World& world, const RingView& view, std::size_t who) const;
  void fail(const std::string& what);

  const Plan& plan_;
  NodeFactory& factory_;
  Rng rng_;
  bool strict_;  // only crashes: a read of all replicas must see what was acknowledged before it
  std::vector<test::Author> authors_{};
  std::map<std::size_t, Written> written_{};
  Violation violation_{};
  std::map<std::string, std::size_t> counts_{};
};

}  // namespace beckon::sim
