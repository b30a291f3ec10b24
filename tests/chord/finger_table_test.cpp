// SPDX-License-Identifier: MIT
#include "chord/finger_table.h"

#include <doctest/doctest.h>

#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;

TEST_SUITE_BEGIN("chord/finger_table");

TEST_CASE("fingers are refreshed from the farthest down to the first successor, then again") {
  FingerTable fingers(id(0));
  // The first successor lies at 2^157 from us: only starts behind it are worth a finger.
  std::vector<int> seen;
  for (int i = 0; i < 5; ++i) seen.push_back(fingers.next_exponent(id(32)));
  CHECK(seen == std::vector{159, 158, 159, 158, 159});
}

TEST_CASE("a first successor beyond half of the ring leaves no finger to keep") {
  FingerTable fingers(id(0));
  fingers.set(158, peer(70));
  CHECK(fingers.next_exponent(id(200)) == -1);
  CHECK(fingers.all().empty());
}

TEST_CASE("fingers that the first successor has come to cover are dropped") {
  FingerTable fingers(id(0));
  fingers.set(158, peer(70));
  fingers.set(159, peer(130));
  CHECK(fingers.next_exponent(id(70)) == 159);
  CHECK(fingers.distinct() == peers({130}));
}

TEST_CASE("a finger to ourselves is no finger") {
  FingerTable fingers(id(10));
  fingers.set(159, peer(200));
  fingers.set(159, peer(10));
  CHECK(fingers.all().empty());
}

TEST_CASE("a dropped peer leaves all its places, and distinct names each peer once") {
  FingerTable fingers(id(0));
  for (int exponent = 150; exponent < 158; ++exponent) fingers.set(exponent, peer(50));
  fingers.set(158, peer(90));
  CHECK(fingers.distinct() == peers({50, 90}));
  fingers.drop(id(50));
  CHECK(fingers.distinct() == peers({90}));
}

TEST_CASE("the closest before a key are strictly between, nearest first, once each, and no more") {
  auto some = peers({10, 250, 90, 100, 40, 90, 101, 0});
  CHECK(closest_before(id(0), id(100), some, 8) == peers({90, 40, 10}));
  CHECK(closest_before(id(0), id(100), some, 2) == peers({90, 40}));
  CHECK(closest_before(id(100), id(20), some, 8) == peers({10, 0, 250, 101}));
}

TEST_SUITE_END();
