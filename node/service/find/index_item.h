// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/find/genuine_records.h"
#include "node/service/items/item.h"
#include "profile/index/keys.h"
#include "profile/index/record.h"

namespace beckon::service {

/// A record as it lies under one key: the marks of that key in front, which the owner does not sign
/// since they differ from key to key, then the record. Wrong marks can only hide a record under
/// that key, and whoever holds it there can hide it anyhow; they never displace right ones, since
/// versions are told apart by the record alone.
///
///   u8 flags | u8 span | record, verbatim
struct IndexItem {
  profile::Marks marks{};
  profile::Record record{};
};
Bytes encode_index_item(const profile::Marks& marks, ByteView record);
Result<IndexItem> decode_index_item(ByteView bytes);
inline ByteView record_of(ByteView entry) { return entry.subspan(2); }

/// Index records: one per owner and key, versions by the owner's own count, a withdrawal as
/// tombstone. The key cannot be checked, on purpose: this node knows no values. But the owner signs
/// which nodes host it, and only those may put the record anywhere. Records of a later schema are
/// kept like all others.
class IndexRules final : public ItemRules {
 public:
  static constexpr std::chrono::seconds max_life = std::chrono::hours(24);

  explicit IndexRules(GenuineRecords& genuine) : genuine_(genuine) {}

  ItemKind kind() const override { return ItemKind::index_item; }
  ItemLimits limits() const override;
  Result<ItemInfo> read(const Id& ring, ByteView bytes) const override;
  bool open_to_all() const override { return false; }  // the index answers questions, not listings
  bool may_put(ByteView bytes, const Id& peer) const override;
  ByteView signed_part(ByteView bytes) const override { return record_of(bytes); }
  bool genuine(ByteView bytes) const override { return genuine_.check(record_of(bytes)); }

 private:
  GenuineRecords& genuine_;
};

}  // namespace beckon::service
