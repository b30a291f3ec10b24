// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon::profile {

enum class IpFamily : std::uint8_t { v4, v6 };

/// An address prefix as the range of addresses it stands for. IPv6 keeps the upper 64 bits only:
/// the lower half names an interface, not a place.
struct IpRange {
  IpFamily family = IpFamily::v4;
  std::uint64_t first{};
  std::uint64_t last{};
};

/// 140.113.214.7, 140.113.214.0/24, 2001:db8::/32, ::ffff:1.2.3.4, or first..last. Bits below the
/// prefix are dropped.
Result<IpRange> parse_ip(std::string_view text);

std::string ip_text(const IpRange& range);  // a prefix if the range is one, else first..last

}  // namespace beckon::profile
