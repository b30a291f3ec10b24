// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>

#include "node/service/items/item_holder.h"
#include "node/service/items/narrowing.h"
#include "node/service/items/replica_messages.h"
#include "node/service/kernel/flow.h"
#include "node/service/kernel/gate.h"

namespace beckon::service {

/// Makes two holders of an arc agree: sums of ever smaller parts until those that differ are small,
/// then lists of these, then only the items that one side lacks or has in an older version. Works
/// in both directions, one request at a time, one session per peer; a session that has moved its
/// share makes room for others and goes on a little later.
///
/// What is held is told only to those who hold it too: peers whose id lies so near that the key
/// concerns them, and of the keys only those. A stranger may bring what it thinks is ours (it may
/// keep strays) and learns no more than which of it is wanted, and whether all items of a ring id
/// are the ones it names.
class ItemSync {
 public:
  enum class Outcome { agreed, failed };
  /// settled: every live item we hold in the arc is durable at the peer, in this version or newer.
  /// all_taken: so is here what the peer offered.
  struct Report {
    Outcome outcome{};
    bool settled = false;
    bool all_taken = false;
  };
  using Done = std::function<void(const Report&)>;
  enum class Direction { both, push };

  ItemSync(Context& context, ItemHolder& holder, const ReplicaOptions& options);

  /// Queued behind other sessions; failed at once if the queue is full or the same one waits.
  void compare(const PeerRef& peer, const Arc& arc, Direction direction, Done done);

  void on_digest(const Request& request);
  void on_list(const Request& request);
  void on_want(const Request& request);

  std::size_t sessions() const { return running_.size(); }
  std::uint64_t bytes_moved() const { return bytes_moved_; }  // by comparisons begun here
  std::uint64_t refused() const {
    return strangers_.count() + digests_.refused() + lists_.refused();
  }

 private:
  struct Session {
    PeerRef peer{};
    Arc arc{};
    Direction direction{};
    Done done{};
    Narrowing search;          // for what differs
    std::deque<Span> spans{};  // found by it, still to list
    std::deque<ItemKey> push{};
    std::deque<ItemKey> pull{};
    std::size_t bytes{};             // moved since the last pause
    std::size_t pushed{}, pulled{};  // items, for the log
    Time not_before = Time::min();
    bool settled = true;
    bool all_taken = true;
    std::optional<Outcome> outcome{};  // none while it makes room for others
  };

  void start_waiting();
  void stopped(Session session);
  void tell_end(const Session& session) const;
  Flow<Session> converse(Session session);
  Flow<bool> next_step(Session* session);  // of each step: false if the peer failed it
  Flow<bool> narrow(Session* session);
  Flow<bool> list(Session* session);
  Flow<bool> push(Session* session);
  Flow<bool> pull(Session* session);
  Pending<Result<Frame>> ask_peer(Session& session, FrameType type, Bytes body);
  template <typename Reply>
  Result<Reply> read(Session& session, FrameType asked, const Result<Frame>& frame,
                     Result<Reply> (*decode)(ByteView));

  void refuse_stranger(const Request& request);
  void offer(const Arc& concern, const ListRequest& asked, ListReply& reply) const;

  Context& context_;
  ItemHolder& holder_;
  const ReplicaOptions& options_;
  Gate digests_;
  Gate lists_;
  std::deque<Session> waiting_{};
  std::set<Id> talking_to_{};  // peers of sessions that run
  std::uint64_t bytes_moved_ = 0;
  Refusals strangers_;  // requests of peers that hold nothing of ours
  Scope running_;
};

}  // namespace beckon::service
