// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/items/claim.h"

namespace beckon::service {

/// The ring reduced to 16 places: place k is the id whose first byte is 16 k, and arcs end at
/// places only. So a twin can keep one value for each place.
constexpr int places = 16;

inline Id place(int k) {
  Id id;
  id.bytes[0] = static_cast<std::uint8_t>(16 * (k & (places - 1)));
  return id;
}
inline Arc between(int after, int upto) { return {.after = place(after), .upto = place(upto)}; }

/// The places of an arc, clockwise: all sixteen if both ends are the same.
inline std::vector<int> places_of(int after, int upto) {
  std::vector<int> out;
  int k = after;
  do {
    k = (k + 1) % places;
    out.push_back(k);
  } while (k != upto % places);
  return out;
}

inline Holder holder(int n) { return {.node = place(n), .disk = 100U + static_cast<unsigned>(n)}; }
inline Holders holders(std::initializer_list<int> numbers) {
  Holders out;
  for (int n : numbers) out.push_back(holder(n));
  return out;
}
inline Ballot ballot(std::uint32_t number, int n) { return {.number = number, .node = place(n)}; }

}  // namespace beckon::service
