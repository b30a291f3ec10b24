#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon::io {

/// "HOST:PORT" taken apart. The host is a name, an IPv4 address, or an IPv6 address, which wears
/// brackets in text and none here.
struct Address {
  std::string host{};
  std::uint16_t port{};

  static Result<Address> parse(std::string_view text);
  std::string text() const;
  bool unspecified() const { return host == "0.0.0.0" || host == "::"; }
  friend bool operator==(const Address&, const Address&) = default;
};

}  // namespace beckon::io
