// SPDX-License-Identifier: MIT
#include "node/service/find/index_item.h"

#include <algorithm>

namespace beckon::service {

Bytes encode_index_item(const profile::Marks& marks, ByteView record) {
  ByteWriter w;
  write_fields(w, marks);
  w.raw(record);
  return w.take();
}

Result<IndexItem> decode_index_item(ByteView bytes) {
  ByteReader in(bytes);
  profile::Marks marks;
  read_fields(in, marks);
  if (!in.ok()) return in.finish("marks").error();
  auto record = profile::decode_record(in.rest());
  if (!record) return record.error();
  return IndexItem{.marks = marks, .record = *std::move(record)};
}

ItemLimits IndexRules::limits() const {
  return {.max_bytes = profile::max_record_size + 2,
          .max_life = max_life,
          .per_author_items = 512,  // a node may own many keys of one profile, in a small ring all
          .per_author_bytes = 256 * 1024};
}

Result<ItemInfo> IndexRules::read(const Id&, ByteView bytes) const {
  auto entry = decode_index_item(bytes);
  if (!entry) return entry.error();
  const profile::Record& record = entry->record;
  Id owner{profile::owner_id(record.owner_key)};
  return ItemInfo{.sub = owner,
                  .seq = record.version,
                  .issued = record.expiry - max_life,  // the earliest moment its expiry allows
                  .expiry = record.expiry,
                  .tombstone = record.withdrawn,
                  .author = owner};
}

bool IndexRules::may_put(ByteView bytes, const Id& peer) const {
  auto entry = decode_index_item(bytes);
  return entry && std::ranges::any_of(entry->record.hosts, [&](const profile::RecordHost& host) {
           return Id{host.id} == peer;
         });
}

}  // namespace beckon::service
