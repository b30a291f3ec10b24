// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <vector>

#include "node/service/items/item_span.h"
#include "node/service/items/item_stamp.h"

namespace beckon::service {

/// The numbers of items in the order of their keys, kept so that the sum over any stretch costs far
/// fewer steps than it has items: they lie in chunks of at most chunk_limit, each of which knows
/// its sum, and only the chunks at the two ends of a stretch are looked into.
///
/// Two chunks side by side hold at least half of chunk_limit together, so n items are in no more
/// than 4n / chunk_limit + 1 chunks, whatever came and went. Keys are kept by reference: they must
/// stay where they are until removed.
class ItemSums {
 public:
  static constexpr std::size_t chunk_limit = 64;

  ItemSums() { chunks_[ItemKey{}]; }
  ItemSums(const ItemSums&) = delete;
  ItemSums& operator=(const ItemSums&) = delete;

  void add(const ItemKey& key, const ItemSum& number);  // must be absent
  void remove(const ItemKey& key);                      // must be present

  struct Total {
    ItemSum sum{};
    std::size_t items{};
    std::size_t steps{};  // chunks and items looked at for it
  };
  Total over(const Span& span) const;

  /// The span in at most so many parts with about as many items each. `turn` moves all the borders
  /// on, by less than a part: any number will do, and a random one gives other parts each time.
  std::vector<Span> cut(const Span& span, std::size_t parts, std::uint64_t turn) const;

  std::size_t chunks() const { return chunks_.size(); }

 private:
  struct Entry {
    const ItemKey* key{};
    ItemSum number{};
  };
  using Entries = std::vector<Entry>;
  struct Chunk {
    Entries entries{};
    ItemSum sum{};
  };
  using Chunks = std::map<ItemKey, Chunk>;  // by the lowest key that belongs there

  static const ItemKey& key_of(const Entry& entry);
  static std::size_t below(const Entries& entries, const ItemKey& key);  // how many are
  static std::size_t upto(const Entries& entries, const ItemKey& key);

  Chunks::iterator holding(const ItemKey& key) { return std::prev(chunks_.upper_bound(key)); }
  Chunks::const_iterator holding(const ItemKey& key) const {
    return std::prev(chunks_.upper_bound(key));
  }
  Chunks::iterator split(Chunks::iterator full, const ItemKey& coming);
  void join_next(Chunks::iterator chunk);

  /// The entries of a chunk that lie in the span: [first, last).
  struct Part {
    std::size_t first{};
    std::size_t last{};
  };
  Part part(Chunks::const_iterator chunk, const Span& span) const;

  Chunks chunks_{};  // never empty: the first begins at the lowest key
};

}  // namespace beckon::service
