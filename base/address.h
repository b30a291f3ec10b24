// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon {

/// "HOST:PORT" taken apart. The host is a name, an IPv4 address, or an IPv6 address, which has
/// brackets in text and none here.
struct Address {
  static constexpr std::size_t max_text = 64;  // what fits into messages between peers

  std::string host{};
  std::uint16_t port{};

  static Result<Address> parse(std::string_view text);
  std::string text() const;
  bool unspecified() const;  // all addresses of a machine, none to dial
  friend bool operator==(const Address&, const Address&) = default;
};

}  // namespace beckon
