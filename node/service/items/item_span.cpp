// SPDX-License-Identifier: MIT
#include "node/service/items/item_span.h"

namespace beckon::service {

namespace {

Id all_ones() {
  Id id;
  id.bytes.fill(0xff);
  return id;
}

}  // namespace

ItemKey lowest_at(const Id& ring) { return {.ring = ring}; }

ItemKey highest_at(const Id& ring) {
  return {.ring = ring, .kind = static_cast<ItemKind>(0xff), .sub = all_ones()};
}

ItemKey highest_key() { return highest_at(all_ones()); }

ItemKey after(const ItemKey& key) {
  ItemKey next = key;
  next.sub = key.sub.plus_power(0);
  if (next.sub != Id{}) return next;
  next.kind = static_cast<ItemKind>(static_cast<std::uint8_t>(key.kind) + 1);
  if (next.kind != ItemKind{}) return next;
  next.ring = key.ring.plus_power(0);
  ENSURE(next.ring != Id{});
  return next;
}

std::vector<Span> spans_of(const Arc& arc) {
  if (arc.after == arc.upto) return {{lowest_at(Id{}), highest_key()}};
  ItemKey first = lowest_at(arc.after.plus_power(0)), last = highest_at(arc.upto);
  if (first < last) return {{first, last}};
  return {{first, highest_key()}, {lowest_at(Id{}), last}};
}

}  // namespace beckon::service
