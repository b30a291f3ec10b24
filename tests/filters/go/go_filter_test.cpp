// SPDX-License-Identifier: MIT
#include "filters/go/go_filter.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/filters/go/go_world.h"

using namespace beckon;
using namespace beckon::filters;
using namespace beckon::filters::testing;

TEST_SUITE_BEGIN("filters/go_filter");

namespace {

/// Any and covers by the definition: element by element, every position looked up.
bool naive_element(const GoFilter& filter, const GoAttribute& a, Kind kind, std::uint64_t group) {
  const Grouping& grouping = kind == Kind::point ? a.point : a.range;
  for (std::uint32_t j = 0; j < a.k; ++j) {
    BlockPosition at = block_position(j, grouping.s);
    std::uint32_t w = word(group_seed(a.seed, kind, group + at.block), at.index);
    if (!filter.bits().test(w % filter.bits().size())) return false;
  }
  return true;
}

struct Naive {
  bool any = false;
  bool all = true;
};

Naive naive_row(const GoFilter& filter, const GoAttribute& a, Kind kind, Scope range) {
  std::uint64_t d = kind == Kind::point ? a.point.d : a.range.d;
  Naive out;
  std::uint64_t last = a.scope.offset(range.hi) / d;
  for (std::uint64_t group = a.scope.offset(range.lo) / d;; ++group) {
    bool there = naive_element(filter, a, kind, group);
    out.any = out.any || there;
    out.all = out.all && there;
    if (group == last) return out;
  }
}

/// One filter of the world: the whole, or a folded or merged one. Nothing inserted may be denied.
void check_no_false_negative(const GoFilter& filter, const Truth& truth, Rng& rng) {
  for (const Hash128& text : truth.texts) REQUIRE(filter.may_contain_text(text));
  const auto& attributes = filter.layout().attributes();
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const GoAttribute& a = attributes[i];
    for (std::int64_t point : truth.points[i]) REQUIRE(filter.may_contain(a, point));
    for (const Truth::Interval& range : truth.ranges[i]) {
      REQUIRE(filter.may_cover(a, range.lo, range.hi));
      REQUIRE(filter.may_contain(a, range.lo));
      REQUIRE(filter.may_contain(a, range.hi));
      Scope part = random_interval(rng, {range.lo, range.hi});
      REQUIRE(filter.may_cover(a, part.lo, part.hi));
      REQUIRE(filter.may_overlap(a, part.lo, part.hi));
    }
    for (int n = 0; n < 20; ++n) {
      Scope asked = random_interval(rng, a.scope);
      if (truth.overlaps(i, asked.lo, asked.hi)) REQUIRE(filter.may_overlap(a, asked.lo, asked.hi));
      if (truth.covers(i, asked.lo, asked.hi)) REQUIRE(filter.may_cover(a, asked.lo, asked.hi));
    }
  }
}

std::vector<std::uint32_t> divisors(std::uint32_t bits) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t m = GoLayout::min_bits; m <= bits; ++m) {
    if (bits % m == 0) out.push_back(m);
  }
  return out;
}

std::shared_ptr<const GoLayout> share(GoLayout::Spec spec) {
  auto layout = GoLayout::create(std::move(spec));
  REQUIRE(layout);
  return std::make_shared<const GoLayout>(*layout);
}

}  // namespace

TEST_CASE("nothing inserted is ever denied, in whole, folded and merged filters") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    World world = random_world(rng);
    for (std::uint32_t m : divisors(world.layout->bits())) {
      check_no_false_negative(world.filter.fold(m), world.truth, rng);
    }
    GoFilter other(world.layout);
    other.insert_text({rng.next(), rng.next()});
    GoFilter merged = other;
    merged.merge(world.filter);
    CHECK(world.filter.is_subset_of(merged));
    CHECK(other.is_subset_of(merged));
    check_no_false_negative(merged, world.truth, rng);
  }
}

TEST_CASE("any and covers agree with looking up every element alone") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    World world = random_world(rng);
    for (const GoAttribute& a : world.layout->attributes()) {
      for (int n = 0; n < 20; ++n) {
        Scope asked = random_interval(rng, a.scope);
        if (a.scope.offset(asked.hi) - a.scope.offset(asked.lo) > 100) continue;
        Naive points = naive_row(world.filter, a, Kind::point, asked);
        Naive ranges = naive_row(world.filter, a, Kind::range, asked);
        REQUIRE(world.filter.may_overlap(a, asked.lo, asked.hi) == (points.any || ranges.any));
        REQUIRE(world.filter.may_cover(a, asked.lo, asked.hi) == (points.all || ranges.all));
      }
    }
  }
}

TEST_CASE("a folded filter equals one filled at that length") {
  Rng rng(3);
  GoAttribute age{
      .name = "age", .seed = AttributeSeed{1}, .scope = {-20, 120}, .range = {.d = 2, .s = 3}};
  auto wide = share({.bits = 1536, .k = 15, .attributes = {age}});
  std::vector<Hash128> texts{{1, 2}, {3, 4}};
  GoFilter base(wide);
  base.insert_texts(texts);
  REQUIRE(base.insert_range(wide->attributes()[0], -7, 40));
  REQUIRE(base.insert_point(wide->attributes()[0], 77));
  for (std::uint32_t m : {64U, 96U, 128U, 192U, 256U, 384U, 512U, 768U, 1536U}) {
    CAPTURE(m);
    auto narrow = share({.bits = m, .k = 15, .attributes = {age}});
    GoFilter direct(narrow);
    direct.insert_texts(texts);
    REQUIRE(direct.insert_range(narrow->attributes()[0], -7, 40));
    REQUIRE(direct.insert_point(narrow->attributes()[0], 77));
    CHECK(base.fold(m).bits() == direct.bits());
  }
}

TEST_CASE("points and ranges do not share bits, but questions find both") {
  GoAttribute a{
      .name = "a", .seed = AttributeSeed{9}, .scope = {0, 100000}, .range = {.d = 1, .s = 2}};
  auto layout = share({.bits = 4096, .k = 20, .attributes = {a}});
  const GoAttribute& age = layout->attributes()[0];
  GoFilter point(layout);
  GoFilter range(layout);
  REQUIRE(point.insert_point(age, 50));
  REQUIRE(range.insert_range(age, 50, 50));
  CHECK_FALSE(point.is_subset_of(range));
  CHECK_FALSE(range.is_subset_of(point));
  for (const GoFilter& filter : {point, range}) {
    CHECK(filter.may_contain(age, 50));
    CHECK(filter.may_overlap(age, 40, 60));
    CHECK(filter.may_cover(age, 50, 50));
    CHECK_FALSE(filter.may_contain(age, 51));
    CHECK_FALSE(filter.may_overlap(age, 51, 90));
    CHECK_FALSE(filter.may_cover(age, 50, 51));
  }
}

TEST_CASE(
    "a value outside its scope is refused and changes nothing, and a question there is a no") {
  GoAttribute a{.name = "age", .seed = AttributeSeed{9}, .scope = {1, 120}};
  auto layout = share({.bits = 512, .k = 15, .attributes = {a}});
  const GoAttribute& age = layout->attributes()[0];
  GoFilter filter(layout);
  CHECK(filter.insert_point(age, 121).error().text == "'age' must lie in 1..120, got 121");
  CHECK(filter.insert_range(age, 0, 5).error().text == "'age' must lie in 1..120, got 0");
  CHECK(filter.insert_range(age, 7, 6).error().text == "the range 7..6 of 'age' is empty");
  CHECK(filter.bits().none());
  REQUIRE(filter.insert_range(age, 1, 120));
  CHECK_FALSE(filter.may_contain(age, 0));
  CHECK_FALSE(filter.may_overlap(age, 121, 1000));
  CHECK(filter.may_overlap(age, -1000, 1000));
  CHECK_FALSE(filter.may_cover(age, 0, 5));
  CHECK_FALSE(filter.may_overlap(age, 9, 8));
}

TEST_CASE("the widest ranges there are cost bounded work and stay found") {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  GoAttribute a{
      .name = "a", .seed = AttributeSeed{9}, .scope = {lowest, highest}, .range = {.d = 1, .s = 1}};
  auto layout = share({.bits = 1 << 20, .k = 4, .attributes = {a}});
  const GoAttribute& all = layout->attributes()[0];
  GoFilter filter(layout);
  CHECK_FALSE(filter.may_overlap(all, lowest, highest));
  REQUIRE(filter.insert_point(all, highest));
  CHECK(filter.may_overlap(all, lowest, highest));  // too wide to look: maybe
  CHECK_FALSE(filter.may_cover(all, lowest, highest));
  REQUIRE(filter.insert_range(all, lowest, highest));
  CHECK(filter.may_cover(all, lowest, highest));
  CHECK(filter.may_contain(all, 0));
  CHECK(filter.fill() == 1);
}

TEST_CASE("bits of a length that does not divide the layout's are no filter of it") {
  auto layout = share({.bits = 1536, .k = 15});
  CHECK(GoFilter::from_bits(layout, BitArray(96)));
  CHECK_FALSE(GoFilter::from_bits(layout, BitArray(100)));
  CHECK_FALSE(GoFilter::from_bits(layout, BitArray(4)));
  CHECK_FALSE(GoFilter::from_bits(layout, BitArray(3072)));
}

TEST_SUITE_END();
