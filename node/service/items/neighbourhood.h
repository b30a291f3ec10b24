// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "chord/frame.h"

namespace beckon::service {

using chord::Arc;
using chord::Id;

/// Which keys concern this node: the chain of its predecessors, nearest first. The ring tells the
/// first; the rest is passed on from node to node (each tells its successor its own chain), so it
/// is a hint that lags behind, and a wrong one costs a refused or a misplaced copy, never a lost
/// one.
///
/// Never holds self; stops where the order round the ring would break. A chain shorter than asked
/// for means a small ring or a young node, and then every key is taken as near enough.
class Neighbourhood {
 public:
  Neighbourhood(Id self, std::size_t depth) : self_(self), depth_(depth) {}

  bool set_predecessor(const std::optional<Id>& predecessor);           // true if it changed
  bool learn(const Id& from, const std::vector<Id>& its_predecessors);  // only from our predecessor

  const std::vector<Id>& chain() const { return chain_; }
  std::optional<Arc> own() const;  // none while the predecessor is unknown
  std::optional<Arc> of_predecessor() const;
  bool among_first(std::size_t count, const Id& key) const;
  std::optional<Arc> strays(std::size_t replicas) const;  // what is not for us to keep

  /// The keys that a peer could be a holder of, going by where its id lies among the nodes known
  /// here: those with fewer than `within` nodes between the key and the peer. All keys while fewer
  /// are known. Nobody can claim to be nearer than its id says.
  Arc concern_of(const Id& peer, const std::vector<chord::PeerRef>& successors,
                 std::size_t within) const;

 private:
  Id self_;
  std::size_t depth_;
  std::vector<Id> chain_{};
};

}  // namespace beckon::service
