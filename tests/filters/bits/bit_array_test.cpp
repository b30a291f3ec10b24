// SPDX-License-Identifier: MIT
#include "filters/bits/bit_array.h"

#include <doctest/doctest.h>

#include <set>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/bit_array");

namespace {

BitArray of(std::size_t bits, const std::set<std::size_t>& ones) {
  BitArray out(bits);
  for (std::size_t i : ones) out.set(i);
  return out;
}

std::set<std::size_t> some(Rng& rng, std::size_t bits) {
  std::set<std::size_t> out;
  for (std::uint64_t left = rng.below(2 * bits); left > 0; --left) out.insert(rng.below(bits));
  return out;
}

}  // namespace

TEST_CASE("a bit array answers like a set of numbers") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    std::size_t bits = 1 + rng.below(300);
    std::set<std::size_t> a = some(rng, bits);
    std::set<std::size_t> b = some(rng, bits);
    std::set<std::size_t> both;
    std::set<std::size_t> either = a;
    for (std::size_t i : b) {
      if (a.contains(i)) both.insert(i);
      either.insert(i);
    }
    BitArray x = of(bits, a);
    BitArray y = of(bits, b);
    for (std::size_t i = 0; i < bits; ++i) CHECK(x.test(i) == a.contains(i));
    CHECK(x.count() == a.size());
    CHECK(x.none() == a.empty());
    CHECK(x.is_subset_of(y) == (both.size() == a.size()));
    CHECK((BitArray(x) |= y) == of(bits, either));
    CHECK((BitArray(x) &= y) == of(bits, both));
    x.clear();
    CHECK(x == BitArray(bits));
  }
}

TEST_CASE("folding lays bit i over bit i mod m for every divisor m") {
  for (std::size_t bits : {1536U, 96U, 100U, 7U}) {
    Rng rng(bits);
    std::set<std::size_t> ones = some(rng, bits);
    for (std::size_t m = 1; m <= bits; ++m) {
      if (bits % m != 0) continue;
      CAPTURE(m);
      std::set<std::size_t> folded;
      for (std::size_t i : ones) folded.insert(i % m);
      CHECK(of(bits, ones).fold(m) == of(m, folded));
    }
  }
}

TEST_CASE("bytes hold the lowest bit first and come back whole") {
  BitArray x = of(12, {0, 1, 9});
  CHECK(to_hex(x.bytes()) == "0302");
  CHECK(*BitArray::from_bytes(12, x.bytes()) == x);
  CHECK(BitArray(0).bytes().empty());
  CHECK(*BitArray::from_bytes(0, {}) == BitArray(0));
}

TEST_CASE("bytes of another length or with a one past the end are refused") {
  Bytes bytes{0x03, 0x02};
  CHECK_FALSE(BitArray::from_bytes(17, bytes));
  CHECK_FALSE(BitArray::from_bytes(8, bytes));
  CHECK_FALSE(BitArray::from_bytes(9, bytes));
  CHECK(BitArray::from_bytes(10, bytes));
}

TEST_SUITE_END();
