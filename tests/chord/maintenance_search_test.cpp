// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/chord/maintenance_search.h"

using beckon::chord::search::Search;

TEST_SUITE_BEGIN("chord/maintenance, every interleaving");

TEST_CASE("no interleaving of four peers with lists of two breaks the ring") {
  Search search(4, {0, 1, 2}, 2);
  std::size_t states = search.run(3'000'000);
  CAPTURE(states);
  CHECK(search.violation == "");
  CHECK(search.complete);
  MESSAGE("states: ", states);
}

TEST_CASE("five peers: no interleaving breaks the ring (BECKON_SEARCH=states to look further)") {
  const char* wanted = std::getenv("BECKON_SEARCH");
  std::size_t most = wanted == nullptr ? 150'000 : std::strtoul(wanted, nullptr, 10);
  for (const auto& base : {std::set<std::size_t>{0, 1, 2}, std::set<std::size_t>{0, 2, 4}}) {
    Search search(5, base, 2);
    std::size_t states = search.run(most);
    CHECK(search.violation == "");
    MESSAGE("states: ", states, std::string(search.complete ? ", complete" : ", not complete"));
  }
}

TEST_SUITE_END();
