// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "node/service/items/item.h"
#include "node/service/items/item_span.h"
#include "node/service/items/item_sums.h"

namespace beckon::service {

/// Hears of every change of the items of one kind, after it is durable and in order: before is null
/// for a new item, after is null for one that is gone. A tombstone is an item like any other.
class ItemListener {
 public:
  virtual ~ItemListener() = default;
  virtual void item_changed(const Item* before, const Item* after) = 0;
};

/// The items a node holds, in memory, ordered by place on the ring: one version of each. Knows what
/// they cost, whose they are and when they expire. Decides nothing and stores nothing.
class ItemTable {
 public:
  struct Usage {
    std::size_t items{};
    std::size_t bytes{};
    friend bool operator==(const Usage&, const Usage&) = default;
  };

  void listen(ItemKind kind, ItemListener& listener);  // kept by reference, one per kind

  const Item* find(const ItemKey& key) const;
  void put(Item item);             // in place of whatever is there
  bool erase(const ItemKey& key);  // false if absent

  using Visit = std::function<bool(const Item&)>;  // false stops
  void each(const Span& span, const Visit& visit) const;
  void each(const Arc& arc, const Visit& visit) const;
  void each_at(const Id& ring, ItemKind kind, const Visit& visit) const;

  std::vector<ItemKey> expired(WallTime now, std::size_t limit) const;
  /// Of the items that are live at `now`. Kept up with every change; an item that expires is taken
  /// out once, by the first call after that, and put back should the clock be set back.
  const ItemSums& sums(WallTime now);

  const Usage& total() const { return total_; }
  Usage of_author(ItemKind kind, const Id& author) const;
  Usage of_source(const Source& source) const;
  static std::size_t cost(const Item& item) { return item.bytes.size() + ItemKey::size; }

  /// What this much takes of memory: the bytes themselves and, for each item, its share of this
  /// table's trees and of what a listener makes of it. Measured; a test keeps it honest.
  static constexpr std::size_t overhead = 656;
  static std::size_t footprint(const Usage& usage) { return usage.bytes + usage.items * overhead; }

 private:
  void account(const Item& item, bool add);  // item is the one in the table
  void sum_up(const Item& item, bool add);
  void tell(const Item* before, const Item* after);

  struct ByExpiry {
    using is_transparent = void;
    bool operator()(const Item* a, const Item* b) const {
      return std::tie(a->info.expiry, a->key) < std::tie(b->info.expiry, b->key);
    }
    bool operator()(WallTime t, const Item* item) const { return t < item->info.expiry; }
    bool operator()(const Item* item, WallTime t) const { return item->info.expiry < t; }
  };

  std::map<ItemKey, Item> items_{};
  std::set<const Item*, ByExpiry> by_expiry_{};  // of those in items_
  ItemSums sums_{};                              // of items that expire after summed_at_
  WallTime summed_at_ = WallTime::min();
  std::map<std::pair<ItemKind, Id>, Usage> by_author_{};
  std::map<Source, Usage> by_source_{};
  std::map<ItemKind, ItemListener*> listeners_{};
  Usage total_{};
};

}  // namespace beckon::service
