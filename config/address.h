#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beckon::config {

/// "host:port" as typed: an IPv4 address, a bracketed IPv6 address or a name; port 0..65535.
struct Address {
  std::string host{};
  std::uint16_t port{};
  friend bool operator==(const Address&, const Address&) = default;
};

Result<Address> parse_address(std::string_view text);

/// Where others can reach who listens there: the address itself, or, when it stands for all
/// addresses of this machine (0.0.0.0, [::]), those of them, loopback only if there is no other.
/// At most four, never none.
std::vector<std::string> reachable_at(const std::string& listen);
bool is_loopback(std::string_view address);
bool is_unspecified(std::string_view host);  // all addresses of a machine, none to dial

}  // namespace beckon::config
