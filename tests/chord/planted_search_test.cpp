// SPDX-License-Identifier: MIT
// Linked with a maintenance.cpp in which mistake M4 is planted (tests/mistakes).
#include <doctest/doctest.h>

#include "tests/chord/maintenance_search.h"

using beckon::chord::search::Search;

TEST_SUITE_BEGIN("chord/maintenance, every interleaving");

TEST_CASE("the search finds the list filled with whoever is at hand (M4)") {
  Search search(4, {0, 1, 2}, 2);
  search.run(3'000'000);
  CHECK(search.violation != "");
}

TEST_SUITE_END();
