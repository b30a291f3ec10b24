// SPDX-License-Identifier: MIT
#include "node/log_limiter.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace std::chrono_literals;

TEST_SUITE("node/log_limiter") {
  TEST_CASE("each kind has a window of its own, and debug lines a larger share") {
    LogLimiter limiter({.lines = 2, .debug_lines = 4});
    auto passed = [&](LogLevel level, const char* text, Time now) {
      int out = 0;
      for (int i = 0; i < 10; ++i) out += limiter.admit({level, text}, now);
      return out;
    };
    CHECK(passed(LogLevel::info, "a", Time(1s)) == 2);
    CHECK(passed(LogLevel::warning, "a", Time(31s)) == 2);
    CHECK(passed(LogLevel::debug, "a", Time(31s)) == 4);
    CHECK(limiter.left_out(Time(60s)).empty());
    auto told = limiter.left_out(Time(61s));
    REQUIRE(told.size() == 1);
    CHECK(told[0].level == LogLevel::info);
    CHECK(to_text(told[0]) == "8 more like this were not logged like=\"info a\"");
    CHECK(limiter.left_out(Time(61s)).empty());
    CHECK(passed(LogLevel::info, "a", Time(61s)) == 2);
    CHECK(limiter.left_out(Time::max()).size() == 3);
  }

  TEST_CASE("kinds beyond the limit share one count") {
    LogLimiter limiter({.lines = 2, .kinds = 3});
    int passed = 0;
    for (int i = 0; i < 100; ++i)
      passed += limiter.admit({LogLevel::info, std::to_string(i)}, Time(1s));
    CHECK(passed == 3 + 2);
    CHECK(to_text(limiter.left_out(Time::max()).back()) ==
          "95 more like this were not logged like=\"other lines\"");
  }
}
