// SPDX-License-Identifier: MIT
#include "base/address.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace beckon {

namespace {

Error unreadable(std::string_view text) {
  return invalid(
      fmt::format("an address is written HOST:PORT, such as 192.0.2.7:4290 or [::1]:4290, got '{}'",
                  printable(text, 80)));
}

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '_';
}

bool is_ipv6_character(char c) { return is_host_character(c) || c == ':' || c == '%'; }

}  // namespace

Result<Address> Address::parse(std::string_view text) {
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || text.size() > max_text)
    return unreadable(text);
  std::string_view host = text.substr(0, colon);
  std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || problem != std::errc{} || end != digits.data() + digits.size()) {
    return invalid(
        fmt::format("a port is a number from 0 to 65535, got '{}'", printable(digits, 40)));
  }
  bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  bool ipv6 = host.find(':') != std::string_view::npos;
  auto fine = bracketed ? is_ipv6_character : is_host_character;
  if (ipv6 != bracketed || !std::all_of(host.begin(), host.end(), fine)) return unreadable(text);
  return Address{std::string(host), port};
}

std::string Address::text() const {
  bool ipv6 = host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

bool Address::unspecified() const {
  return !host.empty() && host.find_first_not_of("0.:") == std::string::npos;
}

}  // namespace beckon
