#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon::config {

/// "host:port" as typed: an IPv4 address, a bracketed IPv6 address or a name; port 0..65535.
struct Address {
  std::string host{};
  std::uint16_t port{};
  friend bool operator==(const Address&, const Address&) = default;
};

Result<Address> parse_address(std::string_view text);

}  // namespace beckon::config
