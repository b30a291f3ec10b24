// SPDX-License-Identifier: MIT
#include "node/service/items/item_stamp.h"

#include <algorithm>

namespace beckon::service {

ItemStamp item_stamp(const Item& item) {
  ItemStamp entry{.key = item.key, .seq = item.info.seq};
  std::copy_n(item.digest.begin(), entry.check.size(), entry.check.begin());
  return entry;
}

ItemSum& ItemSum::operator+=(const ItemSum& other) {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
  return *this;
}

ItemSum& ItemSum::operator-=(const ItemSum& other) {
  high -= other.high + (low < other.low ? 1 : 0);
  low -= other.low;
  return *this;
}

ItemSum number_of(const ItemStamp& entry) {
  Digest digest = sha256({as_bytes("beckon/entry/v1"), encode(entry)});
  ByteReader in(digest);
  ItemSum number{.high = in.u64()};
  number.low = in.u64();
  return number;
}

}  // namespace beckon::service
