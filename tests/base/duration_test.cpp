// SPDX-License-Identifier: MIT
#include "base/duration.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace std::chrono_literals;

TEST_SUITE("base/duration") {
  TEST_CASE("a length of time reads back as written") {
    for (const char* text : {"250ms", "5s", "2m", "1h", "3d", "7us", "0s"}) {
      CAPTURE(text);
      CHECK(to_text(*parse_duration(text)) == text);
    }
    CHECK(*parse_duration("1.5s") == 1500ms);
    CHECK(to_text(90s) == "90s");
  }

  TEST_CASE("a length of time has 366 days at most") {
    CHECK(*parse_duration("366d") == 366 * 24h);
    CHECK(*parse_duration("8784h") == 366 * 24h);
    CHECK_FALSE(parse_duration("366.0001d"));
    CHECK_FALSE(parse_duration("8785h"));
  }

  TEST_CASE("what is no length of time is refused") {
    for (const char* text : {"", "5", "s", "-1s", "1e3s", "5 s", "5x", "400d", "nans", "1s "}) {
      CAPTURE(text);
      CHECK_FALSE(parse_duration(text));
    }
  }
}
