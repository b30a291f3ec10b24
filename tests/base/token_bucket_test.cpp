// SPDX-License-Identifier: MIT
#include "base/token_bucket.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace std::chrono_literals;

TEST_SUITE("base/token_bucket") {
  TEST_CASE("a bucket starts full and gives no more than its burst and its rate") {
    TokenBucket::Rate rate{.per_second = 2, .burst = 3};
    Time now{};
    TokenBucket bucket(rate, now);
    auto takes = [&] {
      int taken = 0;
      bucket.fill(rate, now);
      while (bucket.take(1)) ++taken;
      return taken;
    };
    CHECK(takes() == 3);
    now += 500ms;
    CHECK(takes() == 1);
    now += 1h;
    CHECK(takes() == 3);
  }

  TEST_CASE("a debt is paid back by time and never exceeds a full bucket") {
    TokenBucket::Rate rate{.per_second = 1, .burst = 4};
    Time now{};
    TokenBucket bucket(rate, now);
    bucket.charge(rate, 100);
    CHECK(bucket.fill(rate, now) == -4);
    now += 5s;
    CHECK(bucket.fill(rate, now) == 1);
    CHECK(bucket.take(1));
    CHECK_FALSE(bucket.take(0.5));
  }
}
