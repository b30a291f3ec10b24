// SPDX-License-Identifier: MIT
#include "profile/values/unit.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace beckon::profile;

TEST_SUITE("profile/unit") {
  TEST_CASE("a thousand of each unit are so many of the first unit of its kind") {
    struct Case {
      const char* unit;
      const char* of;
      std::int64_t in_millionths;  // of a thousand
    };
    for (const Case& c :
         {Case{"m", "m", 1'000'000'000}, Case{"mm", "m", 1'000'000}, Case{"cm", "m", 10'000'000},
          Case{"km", "m", 1'000'000'000'000}, Case{"in", "m", 25'400'000},
          Case{"ft", "m", 304'800'000}, Case{"mi", "m", 1'609'344'000'000},
          Case{"kg", "kg", 1'000'000'000}, Case{"g", "kg", 1'000'000},
          Case{"t", "kg", 1'000'000'000'000}, Case{"lb", "kg", 453'592'370}}) {
      CAPTURE(c.unit);
      const Unit* from = unit_named(c.unit);
      const Unit* to = unit_named(c.of);
      REQUIRE(from != nullptr);
      REQUIRE(to != nullptr);
      CHECK(from->kind == to->kind);
      CHECK(*convert({1000, 0}, *from, *to, 6, Rounding::half_even) == c.in_millionths);
      CHECK(*convert({c.in_millionths, -6}, *to, *from, 0, Rounding::half_even) == 1000);
    }
    CHECK(unit_named("m")->kind != unit_named("kg")->kind);
    for (const char* none : {"", "k", "M", "KM", "mile"}) CHECK(unit_named(none) == nullptr);
  }

  TEST_CASE("letters behind a number are its unit, but for k and M") {
    struct Case {
      const char *text, *number, *unit;
    };
    for (const Case& c :
         {Case{"1.8m", "1.8", "m"}, Case{"1.8 m", "1.8", "m"}, Case{"1.8   ft", "1.8", "ft"},
          Case{"5", "5", ""}, Case{"5k", "5k", ""}, Case{"5M", "5M", ""}, Case{"5km", "5", "km"},
          Case{"kg", "", "kg"}, Case{"", "", ""}, Case{"5zZ", "5", "zZ"}, Case{"5aA", "5", "aA"}}) {
      CAPTURE(c.text);
      Measured found = split_unit(c.text);
      CHECK(found.number == c.number);
      CHECK(found.unit == c.unit);
    }
  }
}
