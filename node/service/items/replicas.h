// SPDX-License-Identifier: MIT
#pragma once

#include <set>

#include "node/service/items/item_client.h"
#include "node/service/items/item_holder.h"
#include "node/service/items/item_sync.h"
#include "node/service/items/neighbourhood.h"
#include "node/service/items/put_server.h"
#include "node/service/items/replica_options.h"
#include "node/service/items/stray_mover.h"
#include "node/service/kernel/context.h"
#include "node/service/kernel/histogram.h"

namespace beckon::service {

/// Records on the ring: every item lives on the owner of its key and the next r-1 nodes, durably.
/// Promised: an item reported safe survives r-1 simultaneous crashes with loss of disks, and any
/// number with disks kept; copies converge on the newest version; only the author can make one.
/// Not promised: that a read sees the newest write, an order between authors, life past expiry.
///
/// The owner of this object hands it every request of its frame types, calls ring_changed() when
/// predecessor or successors may differ, and destroys it only together with the context's pending
/// continuations. Items of one ring key are read from table().each_at().
class Replicas {
 public:
  Replicas(Context& context, const RuleBook& rules, ReplicaOptions options);

  static bool handles(std::uint8_t type);  // is it one of our requests?
  void listen(ItemKind kind, ItemListener& listener) { holder_.table().listen(kind, listener); }
  void start();  // once, after listen(): loads what the disk kept and starts the periods

  void handle(const Request& request);
  void ring_changed();

  void put(std::vector<ItemClient::PutEntry> entries, ItemClient::PutDone done);
  void get(const Id& ring, ItemKind kind, ItemClient::GetDone done,
           ItemClient::Reach reach = ItemClient::Reach::first) {
    client_.get(ring, kind, reach, std::move(done));
  }

  /// Hands this node's range over to its successors; PUTs are refused from now on. `done` says
  /// whether all of them confirmed; it comes within leave_deadline.
  void leave(std::function<void(bool)> done);

  /// What the disk kept over a restart may be old. Until it was compared, others answer better.
  bool behind() const { return !caught_up_ && !targets(1).empty(); }

  /// Whether all that was stored under a key is here, for all we know: the key is ours, and since
  /// our range changed it was compared with every other holder.
  bool settled(const Id& key) const;

  const ItemTable& table() const { return holder_.table(); }
  const ItemHolder::Counters& counters() const { return holder_.counters(); }
  const Neighbourhood& neighbourhood() const { return neighbourhood_; }
  const ItemSync& sync() const { return sync_; }
  const Histogram& put_times() const { return put_times_; }  // until all is durable, or failed
  std::uint64_t refused_peers() const {
    return sync_.refused() + puts_.refused() + gets_.refused() + chains_.refused();
  }
  const ReplicaOptions& options() const { return options_; }

 private:
  void on_get(const Request& request);
  void on_chain(const Request& request);

  void sync_soon();
  void sync_in(Duration delay);
  void sync_period();
  void sync_own_range();
  void own_range_compared(const Id& peer, const Arc& arc, const ItemSync::Report& report);
  void tell_repair();
  bool compared_with_all() const;
  void tell_chain();
  void hand_off(const std::optional<Id>& old_predecessor);
  void expire_period();
  void left(bool settled);
  std::optional<Arc> own_range() const;
  std::vector<PeerRef> targets(std::size_t count) const;

  Context& context_;
  const RuleBook& rules_;
  const ReplicaOptions options_;
  Neighbourhood neighbourhood_;
  ItemHolder holder_;
  ItemSync sync_;
  PutServer puts_;
  StrayMover strays_;
  ItemClient client_;
  Gate gets_;
  Gate chains_;
  struct Leaving {
    std::size_t waiting{};
    bool settled = true;
    std::function<void(bool)> done{};
  };
  Leaving leaving_{};
  std::vector<PeerRef> last_targets_{};
  std::set<Id> compared_{};              // of those: who agreed with us on our range as it is now
  Duration retry_ = options_.sync_soon;  // after the next comparison that fails; doubles
  Timer soon_{};
  Histogram put_times_{};
  bool repairing_ = false;  // said so: our range is not yet compared with all holders
  bool caught_up_ = false;  // since the start, our range was once compared with a successor's
};

}  // namespace beckon::service
