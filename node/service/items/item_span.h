#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "node/service/items/item.h"

namespace beckon::service {

using chord::Arc;

/// A stretch of the item table in its linear order, both ends inside. An arc of the ring is one
/// span, or two when it passes zero.
struct Span {
  ItemKey first{};
  ItemKey last{};
  bool contains(const ItemKey& key) const { return first <= key && key <= last; }
  friend bool operator==(const Span&, const Span&) = default;
};

ItemKey lowest_at(const Id& ring);
ItemKey highest_at(const Id& ring);
ItemKey after(const ItemKey& key);  // the next in order; key must not be the very last

std::vector<Span> spans_of(const Arc& arc);

/// An arc cut into 64 buckets at the same places by both sides that compare it: by the top six bits
/// of the distance from its start, aligned to the length of the arc (so 32 to 64 are in use).
class ArcBuckets {
 public:
  static constexpr std::size_t count = 64;
  explicit ArcBuckets(const Arc& arc);
  std::size_t bucket_of(const Id& ring) const;                  // ring is in the arc
  std::vector<Span> spans_of_bucket(std::size_t bucket) const;  // none if beyond the arc's end

 private:
  Id start_of(std::size_t bucket) const;

  Arc arc_;
  bool whole_;
  Id length_;
  int shift_ = 0;
};

}  // namespace beckon::service
