// SPDX-License-Identifier: MIT
#include "chord/rates.h"

#include <doctest/doctest.h>

#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;

TEST_SUITE_BEGIN("chord/rates");

namespace {

int allowed(Rates& rates, const Id& peer, Rates::Kind kind, int tries, Time now) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += rates.allow(peer, kind, now) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a burst of two seconds' worth passes, then the rate and no more") {
  Options options;
  options.ping_rate = 5;
  Rates rates(options);
  CHECK(allowed(rates, id(1), Rates::ping, 100, at(0)) == 10);
  CHECK(allowed(rates, id(1), Rates::ping, 100, at(1000)) == 5);
  CHECK(allowed(rates, id(1), Rates::ping, 100, at(1100)) == 0);
  CHECK(allowed(rates, id(1), Rates::ping, 100, at(100'000)) == 10);  // never more than a burst
}

TEST_CASE("peers and kinds of requests do not use up each other's share") {
  Rates rates(Options{});
  allowed(rates, id(1), Rates::ping, 1000, at(0));
  CHECK_FALSE(rates.allow(id(1), Rates::ping, at(0)));
  CHECK(rates.allow(id(1), Rates::state, at(0)));
  CHECK(rates.allow(id(2), Rates::ping, at(0)));
}

TEST_CASE("beyond the number of peers kept, the one heard longest ago begins afresh") {
  Options options;
  options.tracked_peers = 2;
  options.ping_rate = 1;
  Rates rates(options);
  allowed(rates, id(1), Rates::ping, 10, at(0));
  allowed(rates, id(2), Rates::ping, 10, at(1));
  CHECK(rates.allow(id(3), Rates::ping, at(2)));
  CHECK_FALSE(rates.allow(id(2), Rates::ping, at(3)));
  CHECK(rates.allow(id(1), Rates::ping, at(3)));
}

TEST_SUITE_END();
