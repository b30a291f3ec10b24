// SPDX-License-Identifier: MIT
#include "chord/id.h"

#include <doctest/doctest.h>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::chord;

TEST_SUITE_BEGIN("chord/id");

namespace {

Id small(unsigned x) {
  Id id;
  id.bytes[0] = static_cast<std::uint8_t>(x);
  return id;
}

Id random_id(Rng& rng) {
  Id id;
  rng.fill(id.bytes);
  return id;
}

}  // namespace

TEST_CASE("an arc on a ring of 256 places holds exactly what walking it meets") {
  for (unsigned a = 0; a < 256; a += 5) {
    for (unsigned b = 0; b < 256; b += 3) {
      std::array<bool, 256> met{};
      for (unsigned x = a;;) {
        x = (x + 1) % 256;
        met[x] = true;
        if (x == b) break;
      }
      Arc arc{.after = small(a), .upto = small(b)};
      for (unsigned x = 0; x < 256; ++x) {
        CHECK(arc.contains(small(x)) == met[x]);
        CHECK(arc.contains_inside(small(x)) == (met[x] && x != b));
      }
    }
  }
}

TEST_CASE(
    "of two opposite open arcs exactly one holds a third place, and turning the ring changes "
    "nothing") {
  Rng rng(11);
  for (int i = 0; i < 20000; ++i) {
    Id a = random_id(rng), b = random_id(rng), c = random_id(rng), turn = random_id(rng);
    bool one = Arc{.after = a, .upto = c}.contains_inside(b);
    bool other = Arc{.after = c, .upto = a}.contains_inside(b);
    CHECK(one != other);
    CHECK(one == Arc{.after = a - turn, .upto = c - turn}.contains_inside(b - turn));
  }
}

TEST_CASE("adding a power of two is undone by subtracting, with carries and wrap-around") {
  Rng rng(12);
  for (int exponent = 0; exponent < 160; ++exponent) {
    Id zero;
    Id a = random_id(rng);
    CHECK(a.plus_power(exponent) - a == zero.plus_power(exponent));
  }
  Id last;
  last.bytes.fill(0xff);
  CHECK(last.plus_power(0) == Id{});
}

TEST_CASE("an id reads back from its own text and from nothing else") {
  Rng rng(13);
  Id a = random_id(rng);
  CHECK(*Id::from_hex(a.hex()) == a);
  CHECK_FALSE(Id::from_hex(a.hex().substr(1)));
  CHECK_FALSE(Id::from_hex(a.hex() + "00"));
  CHECK_FALSE(Id::from_hex(std::string(40, 'x')));
}

TEST_SUITE_END();
