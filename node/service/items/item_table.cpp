#include "node/service/items/item_table.h"

#include <algorithm>

namespace beckon::service {

SyncEntry sync_entry(const Item& item) {
  SyncEntry entry{.key = item.key, .seq = item.info.seq};
  std::copy_n(item.digest.begin(), entry.check.size(), entry.check.begin());
  return entry;
}

void ItemTable::listen(ItemKind kind, ItemListener& listener) {
  bool fresh = listeners_.emplace(kind, &listener).second;
  ENSURE(fresh);
}

const Item* ItemTable::find(const ItemKey& key) const {
  auto found = items_.find(key);
  return found == items_.end() ? nullptr : &found->second;
}

void ItemTable::put(Item item) {
  auto place = items_.find(item.key);
  if (place == items_.end()) {
    place = items_.emplace(item.key, std::move(item)).first;
    account(place->second, true);
    tell(nullptr, &place->second);
    return;
  }
  account(place->second, false);
  std::swap(place->second, item);
  account(place->second, true);
  tell(&item, &place->second);
}

bool ItemTable::erase(const ItemKey& key) {
  auto node = items_.extract(key);
  if (node.empty()) return false;
  account(node.mapped(), false);
  tell(&node.mapped(), nullptr);
  return true;
}

void ItemTable::each(const Span& span, const Visit& visit) const {
  for (auto i = items_.lower_bound(span.first); i != items_.end() && i->first <= span.last; ++i) {
    if (!visit(i->second)) return;
  }
}

void ItemTable::each(const Arc& arc, const Visit& visit) const {
  bool go_on = true;
  for (const Span& span : spans_of(arc)) {
    each(span, [&](const Item& item) { return go_on = visit(item); });
    if (!go_on) return;
  }
}

void ItemTable::each_at(const Id& ring, ItemKind kind, const Visit& visit) const {
  Id highest = highest_at(ring).sub;
  each(Span{{ring, kind, Id{}}, {ring, kind, highest}}, visit);
}

std::vector<ItemKey> ItemTable::expired(WallTime now, std::size_t limit) const {
  std::vector<ItemKey> out;
  for (const auto& [expiry, key] : by_expiry_) {
    if (expiry > now || out.size() == limit) break;
    out.push_back(key);
  }
  return out;
}

ItemTable::Summary ItemTable::summary(const Arc& arc, WallTime now) const {
  Summary out;
  ArcBuckets buckets(arc);
  std::array<ByteWriter, ArcBuckets::count> written;
  each(arc, [&](const Item& item) {
    ++out.items;
    if (!item.live(now)) return true;
    SyncEntry entry = sync_entry(item);
    ByteWriter& line = written[buckets.bucket_of(item.key.ring)];
    line.raw(entry.key.bytes());
    line.u64(entry.seq);
    line.raw(entry.check);
    return true;
  });
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].size() == 0) continue;  // an empty bucket is all zeros
    Digest whole = sha256(written[i].bytes());
    std::copy_n(whole.begin(), out.digests[i].size(), out.digests[i].begin());
  }
  return out;
}

ItemTable::Usage ItemTable::of_author(ItemKind kind, const Id& author) const {
  auto found = by_author_.find({kind, author});
  return found == by_author_.end() ? Usage{} : found->second;
}

ItemTable::Usage ItemTable::of_source(const Source& source) const {
  auto found = by_source_.find(source);
  return found == by_source_.end() ? Usage{} : found->second;
}

void ItemTable::account(const Item& item, bool add) {
  auto count = [&](Usage& usage) {
    usage.items += add ? 1 : std::size_t(-1);
    usage.bytes += add ? cost(item) : -cost(item);
    return usage.items == 0;
  };
  count(total_);
  std::pair author{item.key.kind, item.info.author};
  if (count(by_author_[author])) by_author_.erase(author);
  if (item.source && count(by_source_[*item.source])) by_source_.erase(*item.source);
  if (add) {
    by_expiry_.emplace(item.info.expiry, item.key);
  } else {
    by_expiry_.erase({item.info.expiry, item.key});
  }
}

void ItemTable::tell(const Item* before, const Item* after) {
  auto found = listeners_.find((before ? before : after)->key.kind);
  if (found != listeners_.end()) found->second->item_changed(before, after);
}

}  // namespace beckon::service
