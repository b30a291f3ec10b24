// SPDX-License-Identifier: MIT
#include "node/service/items/arc_map.h"

#include <doctest/doctest.h>

#include <array>

#include "base/rng.h"
#include "tests/node/service/items/ring_of_sixteen.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/arc_map");

TEST_CASE("a new map has one row for the whole ring") {
  ArcMap<int> map;
  REQUIRE(map.rows().size() == 1);
  CHECK(map.rows()[0].arc == Arc{});
  CHECK(map.at(place(7)) == 0);
  CHECK(map.pieces(between(5, 5)).size() == 1);
}

TEST_CASE("an arc past zero is one row") {
  ArcMap<int> map;
  map.change(between(14, 2), [](const Arc&, int& v) { v = 1; });
  CHECK(map.rows().size() == 2);
  CHECK(map.at(place(14)) == 0);
  CHECK(map.at(place(15)) == 1);
  CHECK(map.at(place(0)) == 1);
  CHECK(map.at(place(2)) == 1);
  CHECK(map.at(place(3)) == 0);
}

TEST_CASE("the whole ring has one form wherever it was put together") {
  ArcMap<int> one, two;
  one.change(between(3, 3), [](const Arc&, int& v) { v = 5; });
  two.change(between(9, 12), [](const Arc&, int& v) { v = 5; });
  CHECK(one != two);
  two.change(between(12, 9), [](const Arc&, int& v) { v = 5; });
  CHECK(one == two);
  CHECK(two.rows().size() == 1);
}

TEST_CASE("cutting and joining agree with one value for each place") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    ArcMap<int> map;
    std::array<int, places> twin{};
    for (int step = 0; step < 40; ++step) {
      int after = static_cast<int>(rng.below(places)), upto = static_cast<int>(rng.below(places));
      int add = static_cast<int>(rng.below(3)), modulo = 2 + static_cast<int>(rng.below(2));
      std::size_t seen = 0;
      map.change(between(after, upto), [&](const Arc& piece, int& v) {
        CHECK(v == twin[piece.upto.bytes[0] / 16]);
        ++seen;
        v = (v + add) % modulo;
      });
      CHECK(seen >= 1);
      for (int k : places_of(after, upto)) {
        auto& v = twin[static_cast<std::size_t>(k)];
        v = (v + add) % modulo;
      }
      std::size_t changes = 0;
      for (int k = 0; k < places; ++k) {
        auto at = static_cast<std::size_t>(k);
        CHECK(map.at(place(k)) == twin[at]);
        changes += twin[at] != twin[(at + 1) % places] ? 1 : 0;
      }
      CHECK(map.rows().size() == std::max<std::size_t>(changes, 1));

      // The parts of any arc follow one another, and each has one value.
      after = static_cast<int>(rng.below(places)), upto = static_cast<int>(rng.below(places));
      Id from = place(after);
      std::size_t covered = 0;
      for (const auto& piece : map.pieces(between(after, upto))) {
        CHECK(piece.arc.after == from);
        from = piece.arc.upto;
        for (int k : places_of(piece.arc.after.bytes[0] / 16, piece.arc.upto.bytes[0] / 16)) {
          CHECK(twin[static_cast<std::size_t>(k)] == piece.value);
          ++covered;
        }
      }
      CHECK(from == place(upto));
      CHECK(covered == places_of(after, upto).size());
    }
  }
}

TEST_SUITE_END();
