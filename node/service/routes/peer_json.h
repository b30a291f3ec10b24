#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "chord/peer_ref.h"

namespace beckon::service {

inline nlohmann::ordered_json to_json(const chord::PeerRef& peer) {
  return {{"id", peer.id.hex()}, {"address", peer.address}};
}

inline nlohmann::ordered_json to_json(const std::vector<chord::PeerRef>& peers) {
  auto out = nlohmann::ordered_json::array();
  for (const chord::PeerRef& peer : peers) out.push_back(to_json(peer));
  return out;
}

inline nlohmann::ordered_json id_or_null(const std::optional<chord::PeerRef>& peer) {
  if (!peer) return nullptr;
  return peer->id.hex();
}

/// Two decimals.
inline double milliseconds(Duration duration) {
  return std::round(static_cast<double>(duration.count()) / 10.0) / 100.0;
}

}  // namespace beckon::service
