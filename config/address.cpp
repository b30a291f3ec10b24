#include "config/address.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/log.h"

namespace beckon::config {

namespace {

Error unreadable(std::string_view text) {
  return invalid(
      fmt::format("an address is written HOST:PORT, such as 192.0.2.7:4290 or [::1]:4290, got '{}'",
                  printable(text, 80)));
}

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-';
}

bool is_ipv6_character(char c) { return is_host_character(c) || c == ':' || c == '%'; }

}  // namespace

Result<Address> parse_address(std::string_view text) {
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || text.size() > 64) return unreadable(text);
  std::string_view host = text.substr(0, colon);
  std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || problem != std::errc{} || end != digits.data() + digits.size()) {
    return invalid(
        fmt::format("a port is a number from 0 to 65535, got '{}'", printable(digits, 40)));
  }
  if (host.front() == '[') {
    if (host.size() < 4 || host.back() != ']') return unreadable(text);
    host = host.substr(1, host.size() - 2);
    if (!std::all_of(host.begin(), host.end(), is_ipv6_character)) return unreadable(text);
  } else if (!std::all_of(host.begin(), host.end(), is_host_character)) {
    return unreadable(text);
  }
  return Address{std::string(host), port};
}

}  // namespace beckon::config
