#pragma once

#include <functional>
#include <map>

#include "node/service/items/item.h"
#include "node/service/items/replica_messages.h"
#include "node/service/items/replica_options.h"
#include "node/service/kernel/context.h"

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

  std::size_t jobs() const { return puts_.size() + gets_.size(); }

 private:
  struct PutJob {
    std::vector<PutEntry> entries{};
    std::vector<Stored> results{};
    std::vector<std::size_t> todo{};  // not safe yet, sorted by place on the ring
    std::vector<std::size_t> again{};
    std::size_t in_flight{};
    bool looking_up = false;
    std::size_t attempt{};
    PutDone done{};
  };
  struct GetJob {
    Id ring{};
    ItemKind kind{};
    Reach reach{};
    Time began{};
    GetDone done{};
    std::vector<PeerRef> replicas{};
    std::size_t next{};
    std::optional<Id> after{};
    std::size_t pages{};
    bool answered = false;
    bool stale = false;  // saw only versions older than one seen before
    std::map<ItemKey, Item> found{};
  };
  using JobId = std::uint64_t;

  void put_round(JobId id);
  void put_more(JobId id);
  void put_to(JobId id, const Result<Owner>& owner);
  void put_sent(JobId id, const std::vector<std::size_t>& entries, const Result<Frame>& frame);
  void put_round_over(JobId id, PutJob& job);
  static bool worth_retrying(const Stored& stored);

  void get_owner(JobId id);
  void get_next(JobId id);
  void get_page(JobId id, GetJob& job);
  void got_page(JobId id, GetJob& job, const GetReply& reply);
  void get_over(JobId id);
  bool seen(const Item& item);  // false if older than what was seen before

  Context& context_;
  const RuleBook& rules_;
  const ReplicaOptions& options_;
  std::map<JobId, PutJob> puts_{};
  std::map<JobId, GetJob> gets_{};
  JobId last_id_ = 0;
  std::map<ItemKey, std::pair<Version, std::uint64_t>> marks_{};  // with when it was last used
  std::map<std::uint64_t, ItemKey> marks_by_use_{};
  std::uint64_t uses_ = 0;
};

}  // namespace beckon::service
