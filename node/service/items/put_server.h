// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>

#include "node/service/items/item_holder.h"
#include "node/service/items/replica_messages.h"
#include "node/service/kernel/gate.h"

namespace beckon::service {

/// Answers those who store: PUT_REQ from a writer, which this node spreads to its successors, and
/// REPLICATE from a peer that spreads. A PUT is answered when its items are durable here and on r-1
/// successors; when one of them is silent or refuses, the next in line is asked instead. The answer
/// counts the durable copies: the writer sees whether that is enough.
///
/// A writer whose lookup passed the owner by ends at the node behind it. Readers will ask the owner
/// first, so what our predecessor owns is enough only once it is durable there, too.
class PutServer {
 public:
  PutServer(Context& context, ItemHolder& holder, const Neighbourhood& neighbourhood,
            const ReplicaOptions& options);

  void on_put(const Request& request);
  void on_replicate(const Request& request);
  void refuse_puts() { leaving_ = true; }  // from now on: leaving
  std::uint64_t refused() const { return puts_.refused() + copies_.refused(); }  // for their rate

 private:
  struct Job {
    Request request{};
    PutReply reply{};
    std::vector<RawItem> raw_items{};     // by entry; empty bytes for those refused at once
    std::vector<PeerRef> targets{};       // the owner if it is not we; successors, nearest first
    Id owner{};                           // our predecessor, while owner_lacks is not empty
    std::set<std::size_t> owner_lacks{};  // entries whose keys are its, until it confirms them
    std::size_t next_target{};
    std::size_t waiting{};  // for the disk here and for peers there
    Timer deadline{};
  };
  using JobId = std::uint64_t;

  void begin(const Request& request, PutRequest put);
  std::size_t choose_targets(Job& job, const PutRequest& put) const;  // how many to ask at first
  void charge_forgeries(Gate& gate, const Id& peer, const std::vector<Status>& statuses);
  void reply_all(const Request& request, std::size_t count, Status status);
  void stored_here(JobId id, const std::vector<ItemHolder::Taken>& taken);
  void spread(JobId id, Job& job, std::size_t targets);
  void send(JobId id, Job& job, const PeerRef& to, std::vector<std::size_t> entries);
  void got(JobId id, const Id& peer, const std::vector<std::size_t>& entries,
           const Result<Frame>& frame);
  void go_on(JobId id, Job& job);
  void answer(JobId id);
  std::vector<std::size_t> lacking(const Job& job) const;

  Context& context_;
  ItemHolder& holder_;
  const Neighbourhood& neighbourhood_;
  const ReplicaOptions& options_;
  Gate puts_;
  Gate copies_;
  std::map<JobId, Job> jobs_{};
  JobId last_id_ = 0;
  bool leaving_ = false;
};

}  // namespace beckon::service
