// SPDX-License-Identifier: MIT
#include "filters/design/go_simulation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace beckon::filters {

namespace {

constexpr std::uint64_t max_scope = std::uint64_t{1} << 62;
constexpr std::uint64_t max_near = 8192;  // windows asked one by one on each side

/// Windows that should be answered no, as starts first .. first + count - 1.
struct Starts {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

Starts none_if_reversed(std::uint64_t first, std::uint64_t end) {
  return {first, end > first ? end - first : 0};
}

/// How far from a range groups still share positions with it, in values.
std::uint64_t reach(const SimulationSpec& spec, const Grouping& grouping) {
  std::uint64_t groups = sharing_neighbours(spec.k, grouping.s) + 2;
  std::uint64_t values = grouping.d > max_near ? max_near : groups * grouping.d;
  return std::min(values + (spec.question == Question::covers ? spec.query : 0), max_near);
}

Result<void> check_query(const SimulationSpec& spec, const SimulationSpec::Range& range) {
  if (spec.question == Question::covers && spec.query > range.width) {
    return invalid(
        fmt::format("the query {} is wider than the published range {}, which never covers it",
                    spec.query, range.width));
  }
  if (spec.question != Question::covers && 2 * (spec.query - 1) + range.width >= range.scope) {
    return invalid(fmt::format("a scope of {} leaves no room beside {} values for a query of {}",
                               range.scope, range.width, spec.query));
  }
  return {};
}

}  // namespace

Result<void> GoSimulation::check(const SimulationSpec& spec) {
  if (spec.query < 1 || spec.query > max_scope) return invalid("the query must be at least 1 wide");
  for (const SimulationSpec::Range& range : spec.ranges) {
    if (range.scope < 1 || range.scope > max_scope) return invalid("the scope must be 1..2^62");
    if (range.width < 1 || range.width > range.scope) {
      return invalid(
          fmt::format("the width must be 1..{} (the scope), got {}", range.scope, range.width));
    }
    if (range.width == range.scope)
      return invalid("the width must leave a value outside, or nothing can be mistaken");
    if (auto ok = check_query(spec, range); !ok) return ok;
  }
  GoLayout::Spec layout{.bits = spec.bits, .k = spec.k};
  for (const SimulationSpec::Range& range : spec.ranges) {
    layout.attributes.push_back(
        {.seed = AttributeSeed{layout.attributes.size()}, .range = range.grouping});
  }
  auto made = GoLayout::create(std::move(layout));
  if (!made) return made.error();
  return {};
}

GoSimulation::GoSimulation(SimulationSpec spec, Rng rng) : spec_(std::move(spec)), rng_(rng) {
  ENSURE(check(spec_).has_value());
}

void GoSimulation::run_trial() {
  std::vector<Placed> placed;
  GoFilter filter = build(placed);
  double rate = spec_.texts * text_rate(filter);
  for (const Placed& range : placed) {
    rate += wrong_share(filter, range);
    count_false_negatives(filter, range);
  }
  ++trials_;
  sum_ += rate;
  sum_of_squares_ += rate * rate;
  set_bits_ += static_cast<double>(filter.bits().count());
}

SimulationResult GoSimulation::result() const {
  auto n = static_cast<double>(std::max<std::uint64_t>(trials_, 1));
  double mean = sum_ / n;
  double variance = std::max(0.0, sum_of_squares_ / n - mean * mean) * n / std::max(1.0, n - 1);
  return {.trials = trials_,
          .rate = mean,
          .standard_error = std::sqrt(variance / n),
          .set_bits = set_bits_ / n,
          .false_negatives = false_negatives_,
          .asked = asked_,
          .below = asked_ == 0
                       ? 1
                       : std::min(1.0, 3.0 / static_cast<double>(drawn_ > 0 ? drawn_ : asked_))};
}

GoFilter GoSimulation::build(std::vector<Placed>& placed) {
  GoLayout::Spec layout{.bits = spec_.bits, .k = spec_.k};
  for (const SimulationSpec::Range& range : spec_.ranges) {
    GoAttribute attribute{.seed = AttributeSeed{rng_.next()}, .range = range.grouping};
    attribute.scope = {0, static_cast<std::int64_t>(range.scope - 1)};
    layout.attributes.push_back(attribute);
  }
  GoFilter filter(std::make_shared<const GoLayout>(*GoLayout::create(std::move(layout))));
  for (std::uint32_t i = 0; i < spec_.texts; ++i) {
    Hash128 text{rng_.next(), rng_.next()};
    filter.insert_text(text);
    false_negatives_ += filter.may_contain_text(text) ? 0 : 1;
  }
  for (std::size_t i = 0; i < spec_.ranges.size(); ++i) {
    Placed one{random_place(spec_.ranges[i]), &filter.layout().attributes()[i], &spec_.ranges[i]};
    auto lo = static_cast<std::int64_t>(one.at);
    auto hi = static_cast<std::int64_t>(one.at + one.range->width - 1);
    ENSURE(filter.insert_range(*one.attribute, lo, hi).has_value());
    placed.push_back(one);
  }
  return filter;
}

/// Away from the scope's ends where there is room, as the model has neighbours on both sides.
std::uint64_t GoSimulation::random_place(const SimulationSpec::Range& range) {
  std::uint64_t room = range.scope - range.width;
  std::uint64_t margin = reach(spec_, range.grouping) + spec_.query;
  if (room <= 2 * margin) return rng_.below(room + 1);
  return margin + rng_.below(room - 2 * margin + 1);
}

bool GoSimulation::says_yes(const GoFilter& filter, const Placed& placed,
                            std::uint64_t start) const {
  auto lo = static_cast<std::int64_t>(start);
  auto hi = static_cast<std::int64_t>(start + spec_.query - 1);
  GroupRow row = GoLayout::row(*placed.attribute, Kind::range, lo, hi);
  return spec_.question == Question::covers ? row_covered(filter.bits(), row, spec_.bits)
                                            : row_overlaps(filter.bits(), row);
}

double GoSimulation::wrong_share(const GoFilter& filter, const Placed& placed) {
  bool covers = spec_.question == Question::covers;
  std::uint64_t end = placed.at + placed.range->width;
  std::uint64_t w = spec_.query;
  // Windows wholly or, for covers, partly left of the range; and the same to its right.
  Starts left = covers ? Starts{0, placed.at}
                       : none_if_reversed(0, placed.at + 1 >= w ? placed.at + 1 - w : 0);
  Starts right = none_if_reversed(covers ? end - w + 1 : end, placed.range->scope - w + 1);
  std::uint64_t near = reach(spec_, placed.range->grouping);
  double wrong = 0;
  for (std::uint64_t i = 0; i < std::min(near, left.count); ++i) {
    wrong += says_yes(filter, placed, left.first + left.count - 1 - i) ? 1 : 0;
  }
  for (std::uint64_t i = 0; i < std::min(near, right.count); ++i) {
    wrong += says_yes(filter, placed, right.first + i) ? 1 : 0;
  }
  std::uint64_t far_left = left.count - std::min(near, left.count);
  std::uint64_t far_right = right.count - std::min(near, right.count);
  std::uint64_t far = far_left + far_right;
  std::uint32_t yes = 0;
  for (std::uint32_t i = 0; far > 0 && i < spec_.far_samples; ++i) {
    std::uint64_t pick = rng_.below(far);
    std::uint64_t start =
        pick < far_left ? left.first + pick : right.first + near + (pick - far_left);
    yes += says_yes(filter, placed, start) ? 1 : 0;
  }
  std::uint64_t drawn = far > 0 ? spec_.far_samples : 0;
  drawn_ += drawn;
  asked_ += drawn + std::min(near, left.count) + std::min(near, right.count);
  if (far > 0) wrong += static_cast<double>(far) * yes / spec_.far_samples;
  return wrong / static_cast<double>(left.count + right.count);
}

double GoSimulation::text_rate(const GoFilter& filter) {
  if (spec_.texts == 0) return 0;
  std::uint32_t yes = 0;
  for (std::uint32_t i = 0; i < spec_.far_samples; ++i) {
    yes += filter.may_contain_text({rng_.next(), rng_.next()}) ? 1 : 0;
  }
  asked_ += spec_.far_samples;
  drawn_ += spec_.far_samples;
  return static_cast<double>(yes) / spec_.far_samples;
}

void GoSimulation::count_false_negatives(const GoFilter& filter, const Placed& placed) {
  std::uint64_t width = placed.range->width;
  auto lo = static_cast<std::int64_t>(placed.at);
  auto hi = static_cast<std::int64_t>(placed.at + width - 1);
  for (std::int64_t value : {lo, hi, static_cast<std::int64_t>(placed.at + rng_.below(width))}) {
    false_negatives_ += filter.may_contain(*placed.attribute, value) ? 0 : 1;
  }
  false_negatives_ += filter.may_overlap(*placed.attribute, lo, hi) ? 0 : 1;
  false_negatives_ += filter.may_cover(*placed.attribute, lo, hi) ? 0 : 1;
}

}  // namespace beckon::filters
