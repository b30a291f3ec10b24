// SPDX-License-Identifier: MIT
#pragma once

#include "base/time.h"
#include "chord/peer_ref.h"
#include "node/service/kernel/store.h"

namespace beckon::service {

/// What a node knows of the overlay over a restart: whom to come back through. The ring pointers
/// of an earlier life are not kept on purpose: the ring has changed meanwhile, and a node that
/// comes back joins anew.
struct RememberedPeers {
  std::vector<chord::PeerRef> known{};
  std::vector<chord::PeerRef> passive{};
  friend bool operator==(const RememberedPeers&, const RememberedPeers&) = default;
};

inline constexpr std::size_t max_remembered = 1024;  // of each kind

std::vector<Mutation> to_mutations(const RememberedPeers& peers);
Result<RememberedPeers> recall_peers(const Store& store);

/// One list as stored; peers beyond max_remembered are left out.
struct PeerRow {
  std::vector<chord::PeerRef> peers{};
  static constexpr Form form = exact("remembered peers");
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f.list16("peers", m.peers, upto(max_remembered));
  }
};
Bytes encode_peers(std::vector<chord::PeerRef> peers);
Result<std::vector<chord::PeerRef>> decode_peers(ByteView bytes);

/// The number of this life of the node: higher than the last, and not below the clock in
/// milliseconds, so that a copy of the node's key with another disk, or none, is later too. Durable
/// before it is returned, and so before the first HELLO.
Result<std::uint64_t> raise_epoch(Store& store, WallTime now);

}  // namespace beckon::service
