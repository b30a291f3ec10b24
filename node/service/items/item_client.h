// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>

#include "node/service/items/item.h"
#include "node/service/items/replica_messages.h"
#include "node/service/items/replica_options.h"
#include "node/service/kernel/flow.h"

namespace beckon::service {

/// Stores and reads items on the ring for this node's own services. Batches what goes to one owner,
/// tries again while it helps, believes nothing unverified, and never goes back to a version older
/// than one it has seen.
class ItemClient {
 public:
  ItemClient(Context& context, const RuleBook& rules, const ReplicaOptions& options);

  struct Stored {
    Status status{};
    std::size_t copies{};  // durable ones
    bool safe = false;     // as many as are wanted
    std::uint64_t seq{};   // of the version the owner holds
  };
  using PutDone = std::function<void(std::vector<Stored>)>;  // in the order given
  using PutEntry = PutRequest::Entry;
  void put(std::vector<PutEntry> entries, PutDone done);

  /// The newest versions found under the key, tombstones included; not_found if there are none.
  /// One replica that has any is enough, unless `all` asks every replica and merges.
  using GetDone = std::function<void(Result<std::vector<Item>>)>;
  enum class Reach { first, all };
  void get(const Id& ring, ItemKind kind, Reach reach, GetDone done);

 private:
  struct Writing {
    std::vector<PutEntry> entries{};
    std::vector<Stored> results{};
    std::vector<std::size_t> again{};  // not safe yet
  };
  struct Reading {
    Id ring{};
    ItemKind kind{};
    std::optional<Id> after{};  // where the replica's next page begins
    bool answered = false;
    bool stale = false;  // saw only versions older than one seen before
    std::map<ItemKey, Item> found{};
  };

  Flow<std::vector<Stored>> write_all(std::vector<PutEntry> entries);
  Flow<void> write_to(PeerRef owner, std::vector<std::size_t> batch, Writing* writing);
  static void take_reply(Writing& writing, const std::vector<std::size_t>& batch,
                         const Result<Frame>& frame);
  static bool worth_retrying(const Stored& stored);

  Flow<Result<std::vector<Item>>> read(Id ring, ItemKind kind, Reach reach);
  Flow<void> read_from(PeerRef replica, Reading* reading);
  bool take_page(Reading& reading, const GetReply& reply);  // true if it went further than before
  Result<std::vector<Item>> outcome(Reading reading) const;
  bool seen(const Item& item);  // false if older than what was seen before

  Context& context_;
  const RuleBook& rules_;
  const ReplicaOptions& options_;
  std::map<ItemKey, std::pair<Version, std::uint64_t>> marks_{};  // with when it was last used
  std::map<std::uint64_t, ItemKey> marks_by_use_{};
  std::uint64_t uses_ = 0;
  Scope jobs_;
};

}  // namespace beckon::service
