// SPDX-License-Identifier: MIT
// Which eight layout classes suit the built-in schema? Draws a population, fits on one half,
// reports on the other, and prints the table that profile/schema/built_in_classes.cpp holds.
//   cmake --build build/release --target bench_fit_classes && build/release/bench/bench_fit_classes
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rng.h"
#include "filters/design/layout_classes.h"
#include "profile/schema/schema.h"

using namespace beckon;
using filters::ClassSchema;
using filters::Sample;

namespace {

/// How often a numeric attribute is there, how wide its ranges may get, and, where the schema's
/// scope is far wider than what people use (room numbers up to 10^9), the scope to design for.
struct Habit {
  double presence;
  double widest;
  double scope = 0;
};

const std::map<std::string, Habit> habits{
    {"age", {0.7, 40}},
    {"year", {0.5, 60}},
    {"income", {0.5, 500'000}},
    {"longitude", {0.7, 10'000}},
    {"latitude", {0.7, 10'000}},
    {"hours", {0.5, 12}},
    {"room", {0.2, 100, 2'000}},
    {"course", {0.2, 10, 10'000}},
    {"ip", {0.05, 65'536}},
    {"born", {0.2, 3'660}},
    {"x-", {0.1, 100'000, 1'000'000}},
};
constexpr double points = 0.35;
constexpr std::uint64_t max_groups_of_query = 128;  // of a typical query, in any class

struct Slot {
  std::string name;
  std::size_t slot;
  double scope;
  std::uint64_t least_group;
};

std::vector<Slot> numeric_slots(const profile::Schema& schema) {
  std::vector<Slot> out;
  auto add = [&](const profile::Attribute& a, std::string name, std::size_t slot) {
    double scope = static_cast<double>(a.max) - static_cast<double>(a.min) + 1;
    if (a.type == profile::Type::ip) scope = 4294967296.0;
    if (habits.at(name).scope > 0) scope = habits.at(name).scope;
    out.push_back({std::move(name), slot, scope,
                   (a.queried_width + max_groups_of_query - 1) / max_groups_of_query});
  };
  for (std::size_t i = 0; i < schema.attributes().size(); ++i) {
    if (schema.attributes()[i].is_numeric())
      add(schema.attributes()[i], schema.attributes()[i].name, i);
  }
  add(schema.at(profile::Schema::user_slot), "x-", profile::Schema::user_slot);
  return out;
}

Sample draw(const std::vector<Slot>& slots, Rng& rng) {
  Sample sample{.texts = static_cast<int>(rng.between(1, 10))};
  for (const Slot& slot : slots) {
    const Habit& habit = habits.at(slot.name);
    double width = 0;
    if (rng.chance(habit.presence))
      width = rng.chance(points) ? 1 : std::round(std::exp(rng.real() * std::log(habit.widest)));
    sample.widths.push_back(width);
  }
  return sample;
}

/// A typical query must stay below the number of groups that are tested at all.
void keep_queries_testable(const std::vector<Slot>& slots,
                           std::vector<filters::LayoutClass>& classes) {
  for (auto& layout : classes) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      auto least = static_cast<std::int64_t>(slots[i].least_group);
      if (layout.shapes[i].d < least) layout.shapes[i] = {layout.k, least, 1};
    }
  }
}

}  // namespace

int main() {
  const profile::Schema& schema = profile::Schema::built_in();
  std::vector<Slot> slots = numeric_slots(schema);
  ClassSchema shape{.bits = 512};
  for (const Slot& slot : slots) shape.scopes.push_back(slot.scope);
  Rng rng(2026);
  std::vector<Sample> train;
  std::vector<Sample> test;
  for (int i = 0; i < 600; ++i) (i % 2 == 0 ? train : test).push_back(draw(slots, rng));
  double own = 0;
  for (const Sample& sample : test)
    own += filters::own_layout_fpr(shape, sample) / static_cast<double>(test.size());
  auto classes = filters::fit_classes(shape, train, {.classes = 8});
  double fitted = filters::mean_fpr(shape, test, classes);
  keep_queries_testable(slots, classes);
  double kept = filters::mean_fpr(shape, test, classes);
  fmt::print(
      "// seed 2026, 300 profiles fitted, 300 others tested at 512 bits: mean rate {:.3g} with "
      "layouts of their own,\n"
      "// {:.3g} in {} classes, {:.3g} with groups wide enough for typical queries\n",
      own, fitted, classes.size(), kept);
  for (const auto& layout : classes) {
    fmt::print("    {{{}, {{", layout.k);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      fmt::print("{}{{\"{}\", {}, {}}}", i > 0 ? ", " : "", slots[i].name, layout.shapes[i].d,
                 layout.shapes[i].s);
    }
    fmt::print("}}}},\n");
  }
  return 0;
}
