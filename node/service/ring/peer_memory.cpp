// SPDX-License-Identifier: MIT
#include "node/service/ring/peer_memory.h"

#include <algorithm>

namespace beckon::service {

namespace {

Bytes key(std::string_view name) {
  ByteView bytes = as_bytes(name);
  return {bytes.begin(), bytes.end()};
}

Result<std::vector<chord::PeerRef>> recall(const Store& store, std::string_view name) {
  auto stored = store.get(Table::peers, as_bytes(name));
  if (!stored) return stored.error();
  if (!*stored) return std::vector<chord::PeerRef>{};
  return decode_peers(**stored);
}

}  // namespace

Bytes encode_peers(std::vector<chord::PeerRef> peers) {
  if (peers.size() > max_remembered) peers.resize(max_remembered);
  return encode(PeerRow{std::move(peers)});
}

Result<std::vector<chord::PeerRef>> decode_peers(ByteView bytes) {
  auto row = decode<PeerRow>(bytes);
  if (!row) return row.error();
  return std::move(row->peers);
}

std::vector<Mutation> to_mutations(const RememberedPeers& peers) {
  return {{Table::peers, key("known"), encode_peers(peers.known)},
          {Table::peers, key("passive"), encode_peers(peers.passive)}};
}

Result<RememberedPeers> recall_peers(const Store& store) {
  auto known = recall(store, "known");
  if (!known) return known.error();
  auto passive = recall(store, "passive");
  if (!passive) return passive.error();
  return RememberedPeers{std::move(*known), std::move(*passive)};
}

Result<std::uint64_t> raise_epoch(Store& store, WallTime now) {
  auto stored = store.get(Table::meta, as_bytes("epoch"));
  if (!stored) return stored.error();
  std::uint64_t epoch = 0;
  if (*stored) {
    ByteReader in(**stored);
    epoch = in.u64();
    if (auto whole = in.finish("stored epoch"); !whole) {
      return Error{ErrorCode::internal,
                   "the number of this node's last life cannot be read (" + whole.error().text +
                       "): put a backup of the database in its place, or move it away and come "
                       "back with: beckon up --join HOST:PORT"};
    }
  }
  auto clock = static_cast<std::uint64_t>(std::max<std::int64_t>(0, to_ms(now)));
  epoch = std::max(epoch + 1, clock);
  ByteWriter out;
  out.u64(epoch);
  auto committed = store.commit({{Table::meta, key("epoch"), out.take()}});
  if (!committed) return committed.error();
  return epoch;
}

}  // namespace beckon::service
