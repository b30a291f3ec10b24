// SPDX-License-Identifier: MIT
#include "chord/location_cache.h"

#include <doctest/doctest.h>

#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;

TEST_SUITE_BEGIN("chord/location_cache");

namespace {

LocationCache::Location arc(unsigned after, unsigned owner, Time learnt) {
  return {.arc = {.after = id(after), .upto = id(owner)}, .owner = peer(owner), .learnt = learnt};
}

}  // namespace

TEST_CASE("a key is found in the arc that was learnt, its end included and its start not") {
  LocationCache cache(Options{});
  cache.learn(arc(10, 20, at(0)));
  CHECK(cache.find(id(11), at(1))->owner == peer(20));
  CHECK(cache.find(id(20), at(1))->owner == peer(20));
  CHECK_FALSE(cache.find(id(10), at(1)));
  CHECK_FALSE(cache.find(id(21), at(1)));
}

TEST_CASE("an arc across zero is found from both of its sides") {
  LocationCache cache(Options{});
  cache.learn(arc(240, 5, at(0)));
  CHECK(cache.find(id(250), at(1))->owner == peer(5));
  CHECK(cache.find(id(3), at(1))->owner == peer(5));
  CHECK_FALSE(cache.find(id(100), at(1)));
}

TEST_CASE("what was learnt is forgotten when it is old, and when its owner is dropped") {
  Options options;
  options.cache_time = std::chrono::seconds(2);
  LocationCache cache(options);
  cache.learn(arc(10, 20, at(0)));
  CHECK(cache.find(id(15), at(2000)));
  CHECK_FALSE(cache.find(id(15), at(2001)));
  cache.learn(arc(10, 20, at(3000)));
  CHECK(cache.find(id(15), at(3001)));
  cache.drop(id(20));
  CHECK_FALSE(cache.find(id(15), at(3001)));
}

TEST_CASE("a full cache gives up what it learnt longest ago") {
  Options options;
  options.cache_arcs = 2;
  LocationCache cache(options);
  cache.learn(arc(20, 30, at(4)));
  cache.learn(arc(10, 20, at(5)));
  cache.learn(arc(30, 40, at(6)));
  CHECK(cache.size() == 2);
  CHECK(cache.find(id(15), at(7)));
  CHECK_FALSE(cache.find(id(25), at(7)));
  CHECK(cache.find(id(35), at(7)));
}

TEST_SUITE_END();
