// SPDX-License-Identifier: MIT
#include "base/address.h"

#include <doctest/doctest.h>

using namespace beckon;

TEST_SUITE("base/address") {
  TEST_CASE("an address is a host and a port") {
    CHECK(*Address::parse("192.0.2.7:4290") == Address{"192.0.2.7", 4290});
    CHECK(*Address::parse("node.example.net:1") == Address{"node.example.net", 1});
    CHECK(*Address::parse("[::1]:0") == Address{"::1", 0});
  }

  TEST_CASE("addresses are written back as they were read") {
    for (std::string text :
         {"127.0.0.1:0", "my_node.example.net:7000", "[::1]:65535", "[fe80::1%eth0]:1"}) {
      CAPTURE(text);
      auto address = Address::parse(text);
      REQUIRE(address);
      CHECK(address->text() == text);
    }
  }

  TEST_CASE("what is not HOST:PORT is refused with the form that is wanted") {
    for (std::string text :
         {"",        ":",       ":80",     "host",  "host:",   "host:65536",    "host:-1",
          "host:7x", "host: 7", "host:+7", "::1:7", "[::1]",   "[::1:7",        "[host]:7",
          "[]:7",    "a b:7",   "a/b:7",   "a]:7",  "h\x7f:7", "h\xc3\xb6st:7", "a\x1b[2J:1"}) {
      CAPTURE(text);
      CHECK_FALSE(Address::parse(text));
    }
    CHECK(Address::parse("host:70000").error().text ==
          "a port is a number from 0 to 65535, got '70000'");
    CHECK(Address::parse("host:65535")->port == 65535);
    CHECK(Address::parse("[::]:1")->host == "::");
    CHECK(Address::parse(std::string(62, 'h') + ":7"));
    CHECK_FALSE(Address::parse(std::string(63, 'h') + ":7"));
  }

  TEST_CASE("a host has letters and digits and .-_ and in brackets colons and a zone too") {
    for (int c = 1; c < 256; ++c) {
      CAPTURE(c);
      std::string inside{'a', static_cast<char>(c), 'b'};
      bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   c == '.' || c == '-' || c == '_';
      bool numeric = plain || c == ':' || c == '%';
      CHECK(Address::parse(inside + ":1").has_value() == plain);
      CHECK(Address::parse("[::" + inside + "]:1").has_value() == numeric);
    }
  }

  TEST_CASE("an address that stands for all of a machine is told apart") {
    for (const char* host : {"0.0.0.0", "::", "0:0:0:0:0:0:0:0"}) {
      CAPTURE(host);
      CHECK(Address{host, 1}.unspecified());
    }
    for (const char* host : {"127.0.0.1", "::1", "example.net", "10.0.0.0", ""}) {
      CAPTURE(host);
      CHECK_FALSE(Address{host, 1}.unspecified());
    }
  }
}
