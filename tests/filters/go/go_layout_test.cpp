// SPDX-License-Identifier: MIT
#include "filters/go/go_layout.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/go_layout");

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

GoAttribute attribute(Scope scope, std::uint32_t k, std::uint64_t d, std::uint32_t s) {
  return {.name = "a",
          .seed = AttributeSeed{77},
          .scope = scope,
          .k = k,
          .range = {.d = d, .s = s},
          .point = {.d = 1, .s = k}};
}

std::string refusal(GoLayout::Spec spec) {
  auto layout = GoLayout::create(std::move(spec));
  return layout ? "" : layout.error().text;
}

}  // namespace

TEST_CASE("elements take their positions from blocks as the report's figure 3 shows") {
  auto blocks = [](std::uint32_t k, std::uint32_t s) {
    std::vector<BlockPosition> out;
    for (std::uint32_t j = 0; j < k; ++j) out.push_back(block_position(j, s));
    return out;
  };
  using Blocks = std::vector<BlockPosition>;
  CHECK(blocks(5, 2) == Blocks{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}});
  CHECK(blocks(7, 3) == Blocks{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}});
  CHECK(blocks(4, 1) == Blocks{{0, 0}, {1, 0}, {2, 0}, {3, 0}});
  CHECK(blocks(8, 8) == Blocks{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}});
}

TEST_CASE("r neighbours on each side share positions") {
  CHECK(sharing_neighbours(8, 3) == 2);
  CHECK(sharing_neighbours(8, 2) == 3);
  CHECK(sharing_neighbours(8, 8) == 0);
  CHECK(sharing_neighbours(15, 6) == 2);
  CHECK(sharing_neighbours(15, 4) == 3);
  CHECK(sharing_neighbours(15, 1) == 14);
  CHECK(sharing_neighbours(5, 2) == 2);
}

TEST_CASE("a row holds the positions of each of its groups, one by one") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    auto k = static_cast<std::uint32_t>(1 + rng.below(20));
    auto s = static_cast<std::uint32_t>(1 + rng.below(k));
    GoAttribute a = attribute({-50, 50}, k, 1 + rng.below(9), s);
    std::int64_t lo = rng.between(-50, 50);
    std::int64_t hi = rng.between(lo, 50);
    GroupRow row = GoLayout::row(a, Kind::range, lo, hi);
    Modulus m(512);
    std::vector<std::uint32_t> all(row.length());
    row.positions(0, m, all);
    std::uint64_t groups = 0;
    for (std::int64_t v = lo; v <= hi; ++v) {
      std::uint64_t group = static_cast<std::uint64_t>(v + 50) / a.range.d;
      std::uint64_t i = group - row.first;
      groups = i + 1;
      for (std::uint32_t j = 0; j < k; ++j) {
        BlockPosition at = block_position(j, s);
        Hash128 block = group_seed(a.seed, Kind::range, group + at.block);
        REQUIRE(all[i * s + j] == word(block, at.index) % 512);
      }
    }
    CHECK(row.length() == (groups - 1) * s + k);
    std::uint64_t from = rng.below(row.more + 1) * s;
    std::vector<std::uint32_t> part(row.length() - from);
    row.positions(from, m, part);
    CHECK(part == std::vector(all.begin() + static_cast<std::ptrdiff_t>(from), all.end()));
  }
}

TEST_CASE("scopes reach from the lowest to the highest number without overflow") {
  GoAttribute all = attribute({lowest, highest}, 15, 1, 3);
  GroupRow row = GoLayout::row(all, Kind::range, lowest, highest);
  CHECK(row.first == 0);
  CHECK(row.more == ~std::uint64_t{0});
  CHECK(row.length() == ~std::uint64_t{0});
  CHECK(GoLayout::row(all, Kind::range, highest, highest).first == ~std::uint64_t{0});
  CHECK(GoLayout::row(all, Kind::range, -1, 0).more == 1);
  all.range.d = ~std::uint64_t{0};
  CHECK(GoLayout::row(all, Kind::range, lowest, highest).more == 1);
  CHECK(GoLayout::row(attribute({-3, 5}, 4, 3, 1), Kind::range, -3, -1).more == 0);
  CHECK(GoLayout::row(attribute({-3, 5}, 4, 3, 1), Kind::range, -1, 0).more == 1);
}

TEST_CASE("a specification's zeros mean k, and points stand alone by default") {
  GoAttribute plain{.name = "age", .seed = AttributeSeed{1}, .scope = {1, 120}};
  auto layout = GoLayout::create({.bits = 512, .k = 11, .attributes = {plain}});
  REQUIRE(layout);
  const GoAttribute& age = layout->attributes()[0];
  CHECK(age.k == 11);
  CHECK(age.range == Grouping{.d = 1, .s = 11});
  CHECK(age.point == Grouping{.d = 1, .s = 11});
  CHECK(layout->find(AttributeSeed{1}) == &age);
  CHECK(layout->find(AttributeSeed{2}) == nullptr);
}

TEST_CASE("a layout that cannot be is refused by a sentence that names the cause") {
  GoAttribute good = attribute({1, 120}, 15, 1, 6);
  auto with = [&good](auto change) {
    GoAttribute bad = good;
    change(bad);
    return GoLayout::Spec{.bits = 512, .k = 15, .attributes = {bad}};
  };
  CHECK(refusal({.bits = 512, .k = 15, .attributes = {good}}).empty());
  CHECK(refusal({.bits = 7, .k = 15}) == "a filter has 8..1048576 bits, got 7");
  CHECK_FALSE(refusal({.bits = (1 << 20) + 1, .k = 15}).empty());
  CHECK(refusal({.bits = 512, .k = 0}) == "k of the layout must be 1..64, got 0");
  CHECK_FALSE(refusal({.bits = 512, .k = 65}).empty());
  CHECK(refusal(with([](GoAttribute& a) {
          a.scope = {2, 1};
        })) == "the scope 2..1 of 'a' is empty");
  CHECK(refusal(with([](GoAttribute& a) { a.range.d = 0; })) ==
        "ranges of 'a': d must be at least 1");
  CHECK(refusal(with([](GoAttribute& a) { a.point.s = 16; })) ==
        "points of 'a': s must be 1..15, got 16");
  CHECK_FALSE(refusal(with([](GoAttribute& a) { a.k = 65; })).empty());
  CHECK_FALSE(refusal(with([](GoAttribute& a) { a.name = std::string(65, 'x'); })).empty());
  CHECK(refusal({.bits = 512, .k = 15, .attributes = {good, good}}) ==
        "the attribute 'a' occurs twice");
  std::vector<GoAttribute> many(257, good);
  CHECK_FALSE(refusal({.bits = 512, .k = 15, .attributes = many}).empty());
}

TEST_SUITE_END();
