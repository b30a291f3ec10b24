// SPDX-License-Identifier: MIT
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
  static constexpr Form form = exact("peer");
  static void fields(auto& f, auto& m) {
    f("id", m.id);
    f.word8("address", m.address, {1, max_address_size});
  }
  friend bool operator==(const PeerRef&, const PeerRef&) = default;
  friend auto operator<=>(const PeerRef&, const PeerRef&) = default;
};

}  // namespace beckon::chord
