#pragma once

#include <string>

#include "chord/id.h"

namespace beckon::chord {

inline constexpr std::size_t max_address_size = 64;

/// Who and where: an id and the address ("host:port") it is said to listen on. A hint until a
/// handshake with that address has proved the id.
struct PeerRef {
  Id id{};
  std::string address{};
  friend bool operator==(const PeerRef&, const PeerRef&) = default;
  friend auto operator<=>(const PeerRef&, const PeerRef&) = default;
};

}  // namespace beckon::chord
