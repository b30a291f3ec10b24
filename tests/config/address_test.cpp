// SPDX-License-Identifier: MIT
#include "config/address.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <ifaddrs.h>

#include <algorithm>

using namespace beckon::config;

namespace {

/// What the system says of this machine's addresses, without loopback and those of one link.
std::vector<std::string> addresses_of_machine(int family) {
  std::vector<std::string> out;
  ifaddrs* all = nullptr;
  REQUIRE(::getifaddrs(&all) == 0);
  for (ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != family) continue;
    char text[INET6_ADDRSTRLEN]{};
    if (family == AF_INET) {
      const auto* four = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
      if (ntohl(four->sin_addr.s_addr) >> 24 == 127) continue;
      ::inet_ntop(family, &four->sin_addr, text, sizeof text);
      out.push_back(std::string(text) + ":7");
    } else {
      const auto* six = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
      if (IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) || IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr)) continue;
      ::inet_ntop(family, &six->sin6_addr, text, sizeof text);
      out.push_back("[" + std::string(text) + "]:7");
    }
  }
  ::freeifaddrs(all);
  return out;
}

}  // namespace

TEST_SUITE("config/address") {
  TEST_CASE("loopback addresses are told from others") {
    for (const char* address : {"127.0.0.1:7", "127.9.9.9:7", "[::1]:7", "localhost:7"}) {
      CAPTURE(address);
      CHECK(is_loopback(address));
    }
    for (const char* address : {"128.0.0.1:7", "12.7.0.1:7", "[::2]:7", "localhost.net:7", ""}) {
      CAPTURE(address);
      CHECK_FALSE(is_loopback(address));
    }
  }

  TEST_CASE("who listens on one address is reached there") {
    for (const char* address : {"192.0.2.7:7", "127.0.0.1:7", "[::1]:7", "host:7"}) {
      CHECK(reachable_at(address) == std::vector<std::string>{address});
    }
  }

  TEST_CASE("who listens on all addresses is reached at four of the machine's own at most") {
    auto first_four = [](std::vector<std::string> all, const char* otherwise) {
      if (all.empty()) all.push_back(otherwise);
      all.resize(std::min<std::size_t>(all.size(), 4));
      return all;
    };
    std::vector<std::string> all = addresses_of_machine(AF_INET);
    CHECK(reachable_at("0.0.0.0:7") == first_four(all, "127.0.0.1:7"));
    for (const std::string& six : addresses_of_machine(AF_INET6)) all.push_back(six);
    CHECK(reachable_at("[::]:7") == first_four(all, "[::1]:7"));
  }
}
