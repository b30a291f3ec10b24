// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <set>

#include "node/service/items/item_table.h"
#include "node/service/items/neighbourhood.h"
#include "node/service/items/replica_options.h"
#include "node/service/kernel/context.h"
#include "node/service/kernel/rate_limit.h"

namespace beckon::service {

/// The items this node keeps for the ring, in memory and on disk. Everything enters through take():
/// judged, counted against the quotas, verified, written, and only then visible in the table. So
/// the table never shows what a crash could take back, and a version never gives way to an older
/// one.
///
/// Full means refused: what was accepted inside the replica range stays until it expires. Only
/// items that are not this node's to keep give way to those that are.
class ItemHolder {
 public:
  ItemHolder(Context& context, const RuleBook& rules, const Neighbourhood& neighbourhood,
             const ReplicaOptions& options);

  void load();  // once, before anything else: what the disk kept; damaged rows are dropped

  struct Offer {
    RawItem raw_item{};
    std::optional<std::uint64_t> expected_seq{};
    std::optional<Source> source{};  // none: this node itself
  };
  struct Taken {
    Status status{};
    std::uint64_t seq{};  // of the version held at the end, 0 if none
  };
  using TakeDone = std::function<void(std::vector<Taken>)>;
  /// put: an older version is refused. copy: to hold a newer one is as good.
  enum class Intake { put, copy };

  /// Returns at once what will become of each offer if the disk does not fail; `done` says what
  /// did, when it is durable.
  std::vector<Status> take(std::vector<Offer> offers, Intake intake, TakeDone done);

  /// Forgets these versions, durably; newer ones stay.
  void forget(const std::vector<std::pair<ItemKey, Version>>& versions);
  void drop_expired();

  const ItemTable& table() const { return table_; }
  ItemTable& table() { return table_; }
  Arc concern_of(const Id& peer) const;        // keys the peer may hold, too
  bool near(const Id& peer) const;             // whether it may hold anything of what is held here
  const Item* live(const ItemKey& key) const;  // null if absent, expired or being forgotten

  struct Counters {
    std::uint64_t stored{}, refused{}, forged{}, equivocations{}, expired{}, evicted{}, damaged{},
        full{};
  };
  const Counters& counters() const { return counters_; }

 private:
  struct Pending {
    Version newest{};
    std::size_t writes{};
  };
  struct Going {  // one offer on its way
    Status status{};
    ItemKey key{};
    Version version{};
    std::optional<Item> item{};  // to be put into the table
  };

  Going consider(Offer offer, Intake intake);
  bool may_write(const Id& writer, const Item& item);
  std::optional<Version> newest(const ItemKey& key) const;
  Status room_for(const Item& item);
  bool crowds_out(const Item& item, std::size_t wanted) const;
  Status full();
  bool evict_strays(std::size_t bytes);
  void begin(const Item& item);
  void end(const Item& item);
  void settle(std::vector<Going> going, const Result<void>& written, const TakeDone& done);

  Context& context_;
  const RuleBook& rules_;
  const Neighbourhood& neighbourhood_;
  const ReplicaOptions& options_;
  ItemTable table_{};
  std::map<ItemKey, Pending> pending_{};
  std::set<ItemKey> forgetting_{};
  ItemTable::Usage pending_total_{};
  std::map<std::pair<ItemKind, Id>, ItemTable::Usage> pending_by_author_{};
  RateLimit places_;                   // by writer and place, where a place is shared
  std::vector<Mutation> evictions_{};  // go to disk with the write that needed the room
  Counters counters_{};
  bool said_full_ = false;  // until there is room again
};

}  // namespace beckon::service
