// SPDX-License-Identifier: MIT
#include "chord/round_trips.h"

#include <doctest/doctest.h>

#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;
using std::chrono::milliseconds;

TEST_SUITE_BEGIN("chord/round_trips");

TEST_CASE("time-outs follow the round trips seen, within their bounds") {
  Options options;
  RoundTrips trips(options);
  CHECK(trips.rto(id(1)) == options.first_timeout);
  CHECK_FALSE(trips.smoothed(id(1)));
  trips.measured(id(1), milliseconds(400), at(400));
  CHECK(trips.rto(id(1)) == milliseconds(1200));  // srtt + 4 * half of it
  for (int i = 0; i < 100; ++i) trips.measured(id(1), milliseconds(400), at(500 + i));
  CHECK(trips.rto(id(1)) < milliseconds(410));
  for (int i = 0; i < 100; ++i) trips.measured(id(1), milliseconds(1), at(700 + i));
  CHECK(trips.rto(id(1)) == options.rto_min);
  trips.measured(id(2), std::chrono::seconds(60), at(60'000));
  CHECK(trips.rto(id(2)) == options.rto_max);
}

TEST_CASE("two silences in a row are a verdict, and any sign of life clears it") {
  RoundTrips trips(Options{});
  trips.missed(id(1), at(0), at(1000));
  CHECK(trips.suspected(id(1)));
  CHECK_FALSE(trips.dead(id(1)));
  trips.missed(id(1), at(1000), at(2000));
  CHECK(trips.dead(id(1)));
  trips.heard(id(1), at(2500));
  CHECK_FALSE(trips.dead(id(1)));
  CHECK_FALSE(trips.suspected(id(1)));
}

TEST_CASE("requests under way together are one silence") {
  RoundTrips trips(Options{});
  for (int i = 0; i < 5; ++i) trips.missed(id(1), at(i), at(1000 + i));
  CHECK(trips.suspected(id(1)));
  CHECK_FALSE(trips.dead(id(1)));
}

TEST_CASE("a lost answer is no silence when the peer was heard after the question") {
  RoundTrips trips(Options{});
  trips.heard(id(1), at(500));
  trips.missed(id(1), at(0), at(1000));
  CHECK_FALSE(trips.suspected(id(1)));
  CHECK(trips.heard_since(id(1), at(499)));
  CHECK_FALSE(trips.heard_since(id(1), at(500)));
}

TEST_CASE("silence doubles the time-out until an answer comes") {
  Options options;
  RoundTrips trips(options);
  for (int i = 0; i < 100; ++i) trips.measured(id(1), milliseconds(1), at(i));
  trips.missed(id(1), at(200), at(450));
  CHECK(trips.rto(id(1)) == 2 * options.rto_min);
  trips.missed(id(1), at(450), at(950));
  CHECK(trips.rto(id(1)) == 4 * options.rto_min);
  trips.heard(id(1), at(1000));
  CHECK(trips.rto(id(1)) == options.rto_min);
}

TEST_CASE("a peer that says goodbye is dead at once, and one that is forgotten begins afresh") {
  RoundTrips trips(Options{});
  trips.declare_dead(id(1), at(0));
  CHECK(trips.dead(id(1)));
  trips.forget(id(1));
  CHECK_FALSE(trips.dead(id(1)));
}

TEST_CASE("beyond the number of peers kept, the one untouched longest is forgotten") {
  Options options;
  options.tracked_peers = 2;
  RoundTrips trips(options);
  trips.declare_dead(id(1), at(0));
  trips.declare_dead(id(2), at(1));
  trips.declare_dead(id(3), at(2));
  CHECK_FALSE(trips.dead(id(1)));
  CHECK(trips.dead(id(2)));
  CHECK(trips.dead(id(3)));
}

TEST_SUITE_END();
