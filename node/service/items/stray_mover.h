// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/items/item_sync.h"

namespace beckon::service {

/// Brings items home that this node holds but should not: one range of one owner at a time, in ring
/// order (picking at random leaves tails behind), to the owner and its r-1 successors. Forgets its
/// own copy only when every one of them holds the item durably.
class StrayMover {
 public:
  StrayMover(Context& context, ItemHolder& holder, ItemSync& sync,
             const Neighbourhood& neighbourhood, const ReplicaOptions& options);

  void run();  // one pass over all strays; does nothing while one is under way

 private:
  struct Move {
    Arc arc{};
    std::vector<std::pair<ItemKey, Version>> versions{};
    std::size_t waiting{};
    bool settled = true;
  };

  void next();
  void found_owner(const Id& key, const Result<Owner>& owner);
  void moved(const ItemSync::Report& report);

  Context& context_;
  ItemHolder& holder_;
  ItemSync& sync_;
  const Neighbourhood& neighbourhood_;
  const ReplicaOptions& options_;
  bool running_ = false;
  Id cursor_{};  // strays up to here are dealt with in this pass
  Move move_{};
};

}  // namespace beckon::service
