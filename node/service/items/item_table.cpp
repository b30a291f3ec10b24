// SPDX-License-Identifier: MIT
#include "node/service/items/item_table.h"

#include <algorithm>

namespace beckon::service {

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
  for (const Item* item : by_expiry_) {
    if (item->live(now) || out.size() == limit) break;
    out.push_back(item->key);
  }
  return out;
}

const ItemSums& ItemTable::sums(WallTime now) {
  auto from = by_expiry_.upper_bound(std::min(now, summed_at_));
  auto upto = by_expiry_.upper_bound(std::max(now, summed_at_));
  bool back = now < summed_at_;
  for (auto i = from; i != upto; ++i) sum_up(**i, back);
  summed_at_ = now;
  return sums_;
}

void ItemTable::sum_up(const Item& item, bool add) {
  if (add) {
    sums_.add(item.key, number_of(item_stamp(item)));
  } else {
    sums_.remove(item.key);
  }
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
  if (item.info.expiry > summed_at_) sum_up(item, add);
  if (add) {
    by_expiry_.insert(&item);
  } else {
    by_expiry_.erase(&item);
  }
}

void ItemTable::tell(const Item* before, const Item* after) {
  auto found = listeners_.find((before ? before : after)->key.kind);
  if (found != listeners_.end()) found->second->item_changed(before, after);
}

}  // namespace beckon::service
