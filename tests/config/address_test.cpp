#include "config/address.h"

#include <doctest/doctest.h>

using namespace beckon::config;

TEST_SUITE("config/address") {
  TEST_CASE("an address is a host and a port") {
    CHECK(*parse_address("192.0.2.7:4290") == Address{"192.0.2.7", 4290});
    CHECK(*parse_address("node.example.net:1") == Address{"node.example.net", 1});
    CHECK(*parse_address("[::1]:0") == Address{"::1", 0});
  }

  TEST_CASE("what is not HOST:PORT is refused with the form that is wanted") {
    for (const char* text : {"", ":", ":80", "host", "host:", "host:70000", "host:1x", "ho st:1",
                             "::1:80", "[::1:80", "host:-1", "host: 1", "a\x1b[2J:1"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_address(text));
    }
    CHECK(parse_address("host:70000").error().text ==
          "a port is a number from 0 to 65535, got '70000'");
  }
}
