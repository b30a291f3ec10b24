// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <optional>

#include "base/json.h"
#include "base/time.h"
#include "chord/peer_ref.h"

namespace beckon::service {

inline Json to_json(const chord::PeerRef& peer) {
  return {{"id", peer.id.hex()}, {"address", peer.address}};
}

inline Json to_json(const std::vector<chord::PeerRef>& peers) {
  auto out = Json::array();
  for (const chord::PeerRef& peer : peers) out.push_back(to_json(peer));
  return out;
}

inline Json id_or_null(const std::optional<chord::PeerRef>& peer) {
  if (!peer) return nullptr;
  return peer->id.hex();
}

/// Two decimals.
inline double milliseconds(Duration duration) {
  return std::round(static_cast<double>(duration.count()) / 10.0) / 100.0;
}

}  // namespace beckon::service
