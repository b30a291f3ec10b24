// SPDX-License-Identifier: MIT
#include "base/recent_map.h"

#include <doctest/doctest.h>

#include <list>

#include "base/rng.h"

using namespace beckon;

TEST_SUITE("base/recent_map") {
  TEST_CASE("a full map forgets the entry that was touched longest ago") {
    RecentMap<int, char> map(2);
    map.touch(1) = 'a';
    map.touch(2) = 'b';
    CHECK(*map.find(1) == 'a');  // looking does not count
    map.touch(3) = 'c';
    CHECK(map.find(1) == nullptr);
    map.touch(2);
    map.touch(4) = 'd';
    CHECK_FALSE(map.contains(3));
    CHECK(*map.find(2) == 'b');
    CHECK(map.size() == 2);
  }

  TEST_CASE("it does what a list in the order of use does") {
    Rng rng(5);
    for (int round = 0; round < 200; ++round) {
      std::size_t capacity = 1 + rng.below(8);
      RecentMap<int, int> map(capacity);
      std::list<std::pair<int, int>> twin;  // the youngest first
      for (int step = 0; step < 100; ++step) {
        int key = static_cast<int>(rng.below(12));
        auto known =
            std::find_if(twin.begin(), twin.end(), [&](auto& e) { return e.first == key; });
        if (rng.chance(0.2)) {
          map.erase(key);
          if (known != twin.end()) twin.erase(known);
        } else if (rng.chance(0.1)) {
          map.erase_if([&](int k, int) { return k < key; });
          twin.remove_if([&](auto& e) { return e.first < key; });
        } else {
          map.touch(key) += step;
          int value = known == twin.end() ? 0 : known->second;
          if (known != twin.end()) twin.erase(known);
          if (twin.size() == capacity) twin.pop_back();
          twin.emplace_front(key, value + step);
        }
        REQUIRE(map.size() == twin.size());
        for (auto [k, v] : twin) REQUIRE(*map.find(k) == v);
        CHECK((map.at_or_behind(key) == nullptr) == twin.empty());
      }
    }
  }

  TEST_CASE("maps are equal when they would go on alike") {
    RecentMap<int, int> a(2), b(2);
    a.touch(1);
    a.touch(2);
    b.touch(2);
    b.touch(1);
    CHECK_FALSE(a == b);
    b.touch(2);
    CHECK(a == b);
    b.touch(2) = 7;
    CHECK_FALSE(a == b);
  }

  TEST_CASE("the entry at or behind a key goes round at the end") {
    RecentMap<int, int> map(4);
    for (int key : {10, 20, 30}) map.touch(key) = key;
    CHECK(*map.at_or_behind(10) == 10);
    CHECK(*map.at_or_behind(11) == 20);
    CHECK(*map.at_or_behind(31) == 10);
  }
}
