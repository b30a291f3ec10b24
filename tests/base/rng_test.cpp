// SPDX-License-Identifier: MIT
#include "base/rng.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace beckon;

TEST_SUITE_BEGIN("base/rng");

TEST_CASE("the same seed gives the same sequence, frozen for all machines") {
  Rng a(1);
  CHECK(a.next() == 0xb3f2af6d0fc710c5);
  CHECK(a.next() == 0x853b559647364cea);
  Rng b(2);
  CHECK(b.next() != Rng(1).next());
}

TEST_CASE("bounded draws stay in bounds and reach every value about equally") {
  Rng rng(7);
  std::vector<int> seen(6);
  for (int i = 0; i < 60000; ++i) ++seen[rng.below(6)];
  for (int count : seen) CHECK(std::abs(count - 10000) < 500);  // 5 standard deviations
  for (int i = 0; i < 1000; ++i) {
    auto x = rng.between(-3, 3);
    CHECK((x >= -3 && x <= 3));
    double r = rng.real();
    CHECK((r >= 0 && r < 1));
  }
}

TEST_CASE("the widest interval does not overflow") {
  Rng rng(3);
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) (rng.between(low, high) < 0 ? negative : positive) = true;
  CHECK((negative && positive));
  CHECK(rng.between(low, low) == low);
}

TEST_CASE("streams split by name are repeatable and differ from each other and the parent") {
  Rng parent(5);
  CHECK(parent.split("a").next() == parent.split("a").next());
  CHECK(parent.split("a").next() != parent.split("b").next());
  CHECK(parent.split("a").next() != Rng(5).next());
}

TEST_SUITE_END();
