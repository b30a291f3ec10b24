#include "config/address.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <netdb.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

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

constexpr std::size_t most_addresses = 4;

/// The numeric host of one interface; empty when it is of no use to others.
std::string host_of(const ifaddrs& one, int family) {
  if (one.ifa_addr == nullptr || one.ifa_addr->sa_family != family) return {};
  char host[NI_MAXHOST]{};
  auto size =
      static_cast<socklen_t>(family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  if (::getnameinfo(one.ifa_addr, size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) {
    return {};
  }
  std::string_view text = host;
  bool local = text.starts_with("127.") || text == "::1" || text.find('%') != text.npos;
  return local ? std::string() : std::string(text);
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

std::vector<std::string> reachable_at(const std::string& listen) {
  auto address = parse_address(listen);
  bool all = address && is_unspecified(address->host);
  if (!all) return {listen};
  bool ipv6 = address->host == "::";
  std::vector<std::string> out;
  ifaddrs* interfaces = nullptr;
  if (::getifaddrs(&interfaces) == 0) {
    for (int family : {AF_INET, AF_INET6}) {
      if (family == AF_INET6 && !ipv6) continue;
      for (ifaddrs* one = interfaces; one != nullptr; one = one->ifa_next) {
        std::string host = host_of(*one, family);
        if (host.empty() || out.size() == most_addresses) continue;
        out.push_back(family == AF_INET ? fmt::format("{}:{}", host, address->port)
                                        : fmt::format("[{}]:{}", host, address->port));
      }
    }
    ::freeifaddrs(interfaces);
  }
  if (out.empty()) out.push_back(fmt::format("{}:{}", ipv6 ? "[::1]" : "127.0.0.1", address->port));
  return out;
}

bool is_unspecified(std::string_view host) {
  std::string text(host);
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return four.s_addr == INADDR_ANY;
  return ::inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_UNSPECIFIED(&six);
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address.starts_with("[::1]:") ||
         address.starts_with("localhost:");
}

}  // namespace beckon::config
