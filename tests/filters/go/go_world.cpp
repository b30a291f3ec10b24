// SPDX-License-Identifier: MIT
#include "tests/filters/go/go_world.h"

#include <algorithm>
#include <limits>

namespace beckon::filters::testing {

namespace {

Scope random_scope(Rng& rng) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  switch (rng.below(6)) {
    case 0:
      return {lowest, highest};
    case 1:
      return {lowest, rng.between(lowest, lowest + 1000)};
    case 2:
      return {rng.between(highest - 1000, highest), highest};
    case 3:
      return {-rng.between(0, 200), rng.between(0, 200)};
    case 4:
      return {5, 5};
    default:
      return {rng.between(-1000000, 0), rng.between(0, 5000000)};
  }
}

Grouping random_grouping(Rng& rng, std::uint32_t k) {
  return {.d = 1 + (rng.chance(0.5) ? 0 : rng.below(40)),
          .s = static_cast<std::uint32_t>(1 + rng.below(k))};
}

GoLayout random_layout(Rng& rng) {
  GoLayout::Spec spec;
  spec.bits = static_cast<std::uint32_t>(rng.chance(0.5) ? 1536 : 8 + rng.below(3000));
  spec.k = static_cast<std::uint32_t>(1 + rng.below(24));
  for (std::uint64_t i = rng.below(5); i > 0; --i) {
    GoAttribute attribute{.seed = AttributeSeed{rng.next()}, .scope = random_scope(rng)};
    if (rng.chance(0.5)) attribute.k = static_cast<std::uint32_t>(1 + rng.below(24));
    std::uint32_t k = attribute.k == 0 ? spec.k : attribute.k;
    attribute.range = random_grouping(rng, k);
    if (rng.chance(0.5)) attribute.point = random_grouping(rng, k);
    spec.attributes.push_back(attribute);
  }
  auto layout = GoLayout::create(spec);
  ENSURE(layout.has_value());
  return *layout;
}

}  // namespace

bool Truth::overlaps(std::size_t attribute, std::int64_t lo, std::int64_t hi) const {
  auto hit = [&](const Interval& range) { return range.lo <= hi && lo <= range.hi; };
  auto point = points[attribute].lower_bound(lo);
  return std::any_of(ranges[attribute].begin(), ranges[attribute].end(), hit) ||
         (point != points[attribute].end() && *point <= hi);
}

bool Truth::covers(std::size_t attribute, std::int64_t lo, std::int64_t hi) const {
  auto inside = [&](const Interval& range) { return range.lo <= lo && hi <= range.hi; };
  return std::any_of(ranges[attribute].begin(), ranges[attribute].end(), inside) ||
         (lo == hi && points[attribute].contains(lo));
}

Scope random_interval(Rng& rng, const Scope& scope) {
  std::int64_t lo = rng.between(scope.lo, scope.hi);
  std::uint64_t room = Scope{lo, scope.hi}.offset(scope.hi);
  std::uint64_t width = rng.chance(0.9) ? rng.below(60) : rng.next();
  width = std::min(width, room);
  return {lo, static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + width)};
}

World random_world(Rng& rng) {
  auto layout = std::make_shared<const GoLayout>(random_layout(rng));
  World world{layout, GoFilter(layout), {}};
  for (std::uint64_t i = rng.below(6); i > 0; --i)
    world.truth.texts.push_back({rng.next(), rng.next()});
  world.filter.insert_texts(world.truth.texts);
  for (const GoAttribute& attribute : layout->attributes()) {
    auto& ranges = world.truth.ranges.emplace_back();
    auto& points = world.truth.points.emplace_back();
    for (std::uint64_t i = rng.below(3); i > 0; --i) {
      Scope range = random_interval(rng, attribute.scope);
      ranges.push_back({range.lo, range.hi});
      ENSURE(world.filter.insert_range(attribute, range.lo, range.hi).has_value());
    }
    for (std::uint64_t i = rng.below(3); i > 0; --i) {
      std::int64_t point = rng.between(attribute.scope.lo, attribute.scope.hi);
      points.insert(point);
      ENSURE(world.filter.insert_point(attribute, point).has_value());
    }
  }
  return world;
}

}  // namespace beckon::filters::testing
