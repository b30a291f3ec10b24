#include "node/service/items/item_span.h"

#include <algorithm>
#include <bit>

namespace beckon::service {

namespace {

constexpr int bits = static_cast<int>(Id::size) * 8;

Id all_ones() {
  Id id;
  id.bytes.fill(0xff);
  return id;
}

Id one() { return Id{}.plus_power(0); }

int highest_bit(const Id& id) {  // of a value that is not zero
  for (std::size_t i = 0; i < Id::size; ++i) {
    if (id.bytes[i] != 0) {
      return bits - 8 * static_cast<int>(i) - 1 - std::countl_zero(id.bytes[i]);
    }
  }
  ENSURE(!"zero has no highest bit");
  return 0;
}

std::vector<Span> spans_between(const Id& first, const Id& last) {
  if (first <= last) return {{lowest_at(first), highest_at(last)}};
  return {{lowest_at(first), highest_at(all_ones())}, {lowest_at(Id{}), highest_at(last)}};
}

}  // namespace

ItemKey lowest_at(const Id& ring) { return {.ring = ring}; }

ItemKey highest_at(const Id& ring) {
  return {.ring = ring, .kind = static_cast<ItemKind>(0xff), .sub = all_ones()};
}

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
  if (arc.after == arc.upto) return {{lowest_at(Id{}), highest_at(all_ones())}};
  return spans_between(arc.after.plus_power(0), arc.upto);
}

ArcBuckets::ArcBuckets(const Arc& arc)
    : arc_(arc), whole_(arc.after == arc.upto), length_(arc.upto - arc.after) {
  int top = whole_ ? bits - 1 : highest_bit(length_);
  shift_ = std::max(0, top - 5);
}

std::size_t ArcBuckets::bucket_of(const Id& ring) const {
  Id distance = ring - arc_.after;
  std::size_t index = 0;
  for (int bit = 5; bit >= 0; --bit) {
    int at = shift_ + bit;
    std::uint8_t byte =
        at < bits ? distance.bytes[Id::size - 1 - static_cast<std::size_t>(at / 8)] : 0;
    index = index * 2 + ((byte >> (at % 8)) & 1u);
  }
  return index;
}

Id ArcBuckets::start_of(std::size_t bucket) const {
  Id start = arc_.after;
  for (int bit = 0; bit < 7; ++bit) {
    // 64 << shift may be 2^160, which is where the whole ring starts again.
    if ((bucket >> bit) & 1u && shift_ + bit < bits) start = start.plus_power(shift_ + bit);
  }
  return start;
}

std::vector<Span> ArcBuckets::spans_of_bucket(std::size_t bucket) const {
  Id first = start_of(bucket);
  Id last = start_of(bucket + 1) - one();
  if (whole_) return spans_between(first, last);
  if (bucket == 0) first = first.plus_power(0);  // the arc's start is outside it
  if (first - arc_.after > length_ || first == arc_.after) return {};
  if (last - arc_.after > length_ || last == arc_.after) last = arc_.upto;
  if (bucket == 0 && start_of(1) - arc_.after == one()) return {};  // holds the start only
  return spans_between(first, last);
}

}  // namespace beckon::service
