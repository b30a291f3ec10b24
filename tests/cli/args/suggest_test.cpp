// SPDX-License-Identifier: MIT
#include "cli/args/suggest.h"

#include <doctest/doctest.h>

using namespace beckon::cli;

TEST_SUITE("cli/suggest") {
  TEST_CASE("a slip of the finger counts one") {
    CHECK(edit_distance("status", "status") == 0);
    CHECK(edit_distance("staus", "status") == 1);
    CHECK(edit_distance("sttaus", "status") == 1);  // two neighbours swapped
    CHECK(edit_distance("", "up") == 2);
    CHECK(edit_distance("kitten", "sitting") == 3);
  }

  TEST_CASE("the nearest names come first, and what is far is not offered") {
    std::vector<std::string> names{"up", "down", "status", "net", "config"};
    CHECK(suggest("staus", names) == std::vector<std::string>{"status"});
    CHECK(suggest("conf", names) == std::vector<std::string>{"config"});
    CHECK(suggest("nte", names) == std::vector<std::string>{"net"});
    CHECK(suggest("publish", names).empty());
    CHECK(suggest("x", names).empty());
  }
}
