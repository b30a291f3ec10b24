// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <vector>

#include "base/time.h"
#include "chord/peer_ref.h"

namespace beckon::chord::test {

/// A place on a ring of 256 and a peer that lives there.
inline Id id(unsigned place) {
  Id out;
  out.bytes[0] = static_cast<std::uint8_t>(place);
  return out;
}

inline PeerRef peer(unsigned place) {
  return {.id = id(place), .address = "n" + std::to_string(place)};
}

inline std::vector<PeerRef> peers(std::initializer_list<unsigned> places) {
  std::vector<PeerRef> out;
  for (unsigned place : places) out.push_back(peer(place));
  return out;
}

inline Time at(std::int64_t ms) { return Time{} + std::chrono::milliseconds(ms); }

}  // namespace beckon::chord::test
