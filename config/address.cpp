// SPDX-License-Identifier: MIT
#include "config/address.h"

#include <ifaddrs.h>
#include <netdb.h>

#include "base/address.h"

namespace beckon::config {

namespace {

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

}  // namespace

std::vector<std::string> reachable_at(const std::string& listen) {
  auto address = Address::parse(listen);
  if (!address || !address->unspecified()) return {listen};
  bool ipv6 = address->host.find(':') != std::string::npos;
  std::vector<std::string> out;
  ifaddrs* interfaces = nullptr;
  if (::getifaddrs(&interfaces) == 0) {
    for (int family : {AF_INET, AF_INET6}) {
      if (family == AF_INET6 && !ipv6) continue;
      for (ifaddrs* one = interfaces; one != nullptr; one = one->ifa_next) {
        std::string host = host_of(*one, family);
        if (host.empty() || out.size() == most_addresses) continue;
        out.push_back(Address{host, address->port}.text());
      }
    }
    ::freeifaddrs(interfaces);
  }
  if (out.empty()) out.push_back(Address{ipv6 ? "::1" : "127.0.0.1", address->port}.text());
  return out;
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address.starts_with("[::1]:") ||
         address.starts_with("localhost:");
}

}  // namespace beckon::config
