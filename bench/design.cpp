// SPDX-License-Identifier: MIT
// How long does a design take, and how good is it? 300 random profiles of each published family
// (docs/filters.md): `best` (which includes two-phase), its search alone, and two-phase.
#include <random>

#include "bench/harness.h"
#include "filters/design/go_best.h"
#include "filters/design/go_design.h"

namespace {

using namespace beckon;
using namespace beckon::filters;

constexpr int profiles = 300;

Load table1() {
  return {{{5, 1}}, {{{120, 10}}, {{201, 20}}, {{5001, 500}}, {{3600001, 100}}, {{1800001, 100}}}};
}

double whole(std::mt19937& draw, double low, double high) {
  return static_cast<double>(
      std::uniform_int_distribution<int>(static_cast<int>(low), static_cast<int>(high))(draw));
}

std::vector<Load> narrow_family(double stretch) {
  std::mt19937 draw(20241);
  std::vector<Load> loads(profiles, table1());
  for (Load& load : loads) {
    for (RangeLoad& range : load.ranges)
      range.size.width = whole(draw, 1, stretch * range.size.width);
  }
  return loads;
}

std::vector<Load> wide_family() {
  std::mt19937 draw(20241);
  std::vector<Load> loads(profiles, table1());
  for (Load& load : loads) {
    for (RangeLoad& range : load.ranges) {
      range.size.scope = whole(draw, 1000, 100000);
      range.size.width = whole(draw, 1, range.size.scope / 10);
    }
  }
  return loads;
}

double mean_with(const std::vector<Load>& loads, Method method) {
  double sum = 0;
  for (const Load& load : loads) sum += design(load, {.method = method})->total_fpr;
  return sum / static_cast<double>(loads.size());
}

/// Times one family; true if a design takes less than a millisecond.
bool family(const char* name, const std::vector<Load>& loads) {
  bench::Contest contest(name, profiles, 7);
  contest.add("best", [&] { bench::keep(mean_with(loads, Method::best)); });
  contest.add("best without its two-phase check", [&] {
    for (const Load& load : loads) {
      GoCost cost(load, 512);
      bench::keep(BestSearch(cost, {}).common_k().cost);
    }
  });
  contest.add("two-phase", [&] { bench::keep(mean_with(loads, Method::two_phase)); });
  contest.run();
  contest.print();
  double ours = mean_with(loads, Method::best), report = mean_with(loads, Method::two_phase);
  std::printf("  mean rate: best %.6e, two-phase %.6e (%+.3f %%)\n", ours, report,
              100 * (report / ours - 1));
  return bench::promise("best, milliseconds per profile", contest.timing(0).median / 1e6,
                        "<=", 1.0);
}

}  // namespace

int main() {
  bool kept = family("Table 1 scopes, widths up to Table 1's", narrow_family(1));
  kept &= family("Table 1 scopes, widths up to twice that", narrow_family(2));
  kept &= family("scopes of 1e3..1e5, widths up to a tenth", wide_family());
  return kept ? 0 : 1;
}
