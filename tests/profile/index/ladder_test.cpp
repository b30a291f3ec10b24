// SPDX-License-Identifier: MIT
#include "profile/index/ladder.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "base/rng.h"
#include "profile/query/matches.h"

using namespace beckon;
using namespace beckon::profile;

namespace {

/// Pairs to draw for each kind of number; BECKON_LADDER_PAIRS asks for more.
int pair_count() {
  const char* wish = std::getenv("BECKON_LADDER_PAIRS");
  return wish != nullptr ? std::atoi(wish) : 2'000'000;
}

NumberSpace space_of(const char* name, Value value = {}) {
  const Schema& schema = Schema::built_in();
  return number_space(schema.at(*schema.slot(name)), name, value);
}

std::int64_t shifted(const NumberSpace& space, std::uint64_t offset) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(space.min) + offset);
}

/// Log-uniform up to the whole scope.
std::uint64_t draw_size(const NumberSpace& space, Rng& rng) {
  int bits = 1;
  while (bits < 64 && (space.last() >> bits) != 0) ++bits;
  std::uint64_t size = rng.next() >> (64 - rng.below(static_cast<std::uint64_t>(bits) + 1)) % 64;
  return std::min(size, space.last());
}

Interval draw(const NumberSpace& space, Rng& rng, std::uint64_t around) {
  std::uint64_t size = rng.chance(0.3) ? 0 : draw_size(space, rng);
  std::uint64_t lo = 0;
  if (space.circular) {
    std::uint64_t count = space.last() + 1;
    lo = (around + count - rng.below(size + 2) % count) % count;
    std::uint64_t hi = (lo + size) % count;
    if (size == space.last()) return {space.min, space.max};
    return {shifted(space, lo), shifted(space, hi)};
  }
  std::uint64_t back = size == UINT64_MAX ? rng.next() : rng.below(size + 1);
  lo = around > back ? around - back : 0;
  lo = std::min(lo, space.last() - size);
  return {shifted(space, lo), shifted(space, lo + size)};
}

bool overlap(const NumberSpace& space, const Interval& a, const Interval& b) {
  Attribute attribute;
  attribute.min = space.min;
  attribute.max = space.max;
  return overlaps(attribute, a, b);
}

bool cover(const NumberSpace& space, const Interval& outer, const Interval& inner) {
  Attribute attribute;
  attribute.min = space.min;
  attribute.max = space.max;
  return covers(attribute, outer, inner);
}

/// How many buckets of the question answer the stored number.
int answers(const std::vector<StoredBucket>& stored, const std::vector<AskedBucket>& asked) {
  int count = 0;
  for (const AskedBucket& a : asked) {
    for (const StoredBucket& s : stored) {
      if (s.bucket == a.bucket && a.wanted.admits(s.marks)) ++count;
    }
  }
  return count;
}

struct Tally {
  int asked = 0;
  int true_pairs = 0;
  int missed = 0;
  int twice = 0;
};

Tally run(const NumberSpace& space, std::uint64_t seed) {
  Rng rng(seed);
  Tally tally;
  for (int i = 0; i < pair_count(); ++i) {
    std::uint64_t around = space.last() == UINT64_MAX ? rng.next() : rng.below(space.last() + 1);
    Interval value = draw(space, rng, around);
    Interval question = draw(space, rng, around);
    Relation relation = rng.chance(0.25) ? Relation::covers : Relation::overlaps;
    auto asked = asked_buckets(space, question, relation);
    if (!asked) continue;
    ++tally.asked;
    int count = answers(stored_buckets(space, value), *asked);
    bool truth = relation == Relation::covers ? cover(space, value, question)
                                              : overlap(space, value, question);
    tally.true_pairs += truth ? 1 : 0;
    tally.missed += truth && count == 0 ? 1 : 0;
    tally.twice += count > 1 ? 1 : 0;
  }
  return tally;
}

void check(const NumberSpace& space) {
  Tally tally = run(space, 42);
  CAPTURE(space.name);
  CHECK(tally.missed == 0);
  CHECK(tally.twice == 0);
  CHECK(tally.asked > pair_count() / 4);
  CHECK(tally.true_pairs > tally.asked / 5);
}

}  // namespace

TEST_SUITE("profile/ladder") {
  TEST_CASE("whole numbers that overlap are answered exactly once") {
    check(space_of("age"));
    check(space_of("income"));
  }
  TEST_CASE("decimals that overlap are answered exactly once") {
    check({.name = "d", .min = -50'000, .max = 1'234'567, .ladder = {100, 1600, 25'600}});
  }
  TEST_CASE("dates that overlap are answered exactly once") { check(space_of("born")); }
  TEST_CASE("addresses that overlap are answered exactly once") {
    check(space_of("ip", {.text = "v4"}));
    check(space_of("ip", {.text = "v6"}));
  }
  TEST_CASE("hybrid numbers that overlap are answered exactly once") {
    check(space_of("room", {.text = "ec-#"}));
  }
  TEST_CASE("circular ranges that overlap are answered exactly once") {
    check(space_of("hours"));
    check({.name = "c", .min = 0, .max = 359, .circular = true, .ladder = {7, 50}});
  }

  TEST_CASE("places that overlap are answered exactly once, over the date line too") {
    PlaceSpace space{space_of("longitude"), space_of("latitude")};
    Rng rng(43);
    Tally tally;
    for (int i = 0; i < pair_count(); ++i) {
      std::uint64_t x = rng.below(space.x.last() + 1);
      std::uint64_t y = rng.below(space.y.last() + 1);
      auto box = [&] {
        Box out{draw(space.x, rng, x), draw(space.y, rng, y)};
        if (rng.chance(0.7)) {  // mostly of human size
          std::int64_t side = std::int64_t{1} << rng.below(17);
          out.y.hi = std::min(out.y.hi, out.y.lo + side);
          std::int64_t end = out.x.lo + side;
          out.x.hi = end > space.x.max ? end - 3'600'000 : end;
        }
        return out;
      };
      Box value = box();
      Box question = box();
      auto asked = asked_cells(space, question);
      if (!asked) continue;
      ++tally.asked;
      bool truth = overlap(space.x, value.x, question.x) && overlap(space.y, value.y, question.y);
      int count = answers(stored_cells(space, value), *asked);
      tally.true_pairs += truth ? 1 : 0;
      tally.missed += truth && count == 0 ? 1 : 0;
      tally.twice += count > 1 ? 1 : 0;
    }
    CHECK(tally.missed == 0);
    CHECK(tally.twice == 0);
    CHECK(tally.true_pairs > tally.asked / 20);
  }

  TEST_CASE("a number without a ladder is in no bucket, and no bucket is asked for it") {
    NumberSpace bare{.name = "n", .min = 0, .max = 1'000'000};
    for (const Interval& value : {Interval{0, 0}, Interval{3, 70}, Interval{0, 1'000'000}}) {
      CHECK(stored_buckets(bare, value).empty());
      CHECK_FALSE(asked_buckets(bare, value, Relation::overlaps).has_value());
      CHECK_FALSE(asked_buckets(bare, value, Relation::covers).has_value());
      CHECK(stored_cells({bare, bare}, {value, value}).empty());
      CHECK_FALSE(asked_cells({bare, bare}, {value, value}).has_value());
    }
  }

  TEST_CASE("a bounded number of buckets is stored and asked, whatever the width") {
    NumberSpace space = space_of("x-anything");
    for (std::int64_t hi : {1, 1'000, 1'000'000'000}) {
      CHECK(stored_buckets(space, {0, hi}).size() <= 3 * max_touched);
      CHECK(asked_buckets(space, {0, hi}, Relation::overlaps).has_value());
    }
    auto wide = stored_buckets(space, {space.min, space.max});
    REQUIRE(wide.size() == 1);
    CHECK(wide[0].bucket.level == wide_level);
    CHECK_FALSE(asked_buckets(space, {space.min, space.max}, Relation::overlaps).has_value());
    CHECK(asked_buckets(space, {space.min, space.max}, Relation::covers).has_value());
    CHECK(stored_buckets(space_of("age"), {1, 120}).size() == 8);
  }
}
