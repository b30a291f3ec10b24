// SPDX-License-Identifier: MIT
#include "filters/design/dyadic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace beckon::filters {

namespace {

using Chances = std::vector<double>;

/// out += share * the distribution moved up by `by` blocks.
void mix(Chances& out, const Chances& in, double share, std::size_t by) {
  out.resize(std::max(out.size(), in.size() + by), 0);
  for (std::size_t i = 0; i < in.size(); ++i) out[i + by] += share * in[i];
}

/// Blocks of a run of `length` cells whose start is uniformly random: an odd end is a block of its
/// own, and what is left is half as long one level up, its start random again.
const Chances& run(double length, std::map<double, Chances>& known) {
  auto found = known.find(length);
  if (found != known.end()) return found->second;
  Chances out;
  double half = std::floor(length / 2);
  if (length < 1) {
    out = {1.0};
  } else if (half * 2 == length) {
    mix(out, run(half, known), 0.5, 0);
    mix(out, run(half - 1, known), 0.5, 2);
  } else {
    mix(out, run(half, known), 1, 1);
  }
  return known.emplace(length, std::move(out)).first->second;
}

/// Cells that a range touches when it lies worst.
double most_cells(double width, int level) {
  double cell = std::exp2(level);
  return std::floor((width - 2 + cell) / cell) + 1;
}

}  // namespace

int dyadic_levels(double scope) {
  return std::max(0, static_cast<int>(std::ceil(std::log2(scope))));
}

std::vector<double> dyadic_blocks(double width, int level) {
  double cell = std::exp2(level);
  double whole = std::floor((width - 1) / cell);
  double spill = (width - 1) / cell - whole;  // chance that a random start touches one cell more
  std::map<double, Chances> known;
  Chances out;
  mix(out, run(whole + 1, known), 1 - spill, 0);
  if (spill > 0) mix(out, run(whole + 2, known), spill, 0);
  return out;
}

double dyadic_probes(double width, double query, int level) {
  double probes = 0;
  int top = level + static_cast<int>(std::floor(std::log2(most_cells(width, level))));
  for (int l = level; l <= top; ++l) probes += (query - 1) / std::exp2(l) + 1;
  return probes;
}

double dyadic_fpr(const RangeSize& size, int level, int k, double query, const Fill& fill) {
  double placements = size.outside() - 2 * query + 2;
  if (placements <= 0) return 0;
  double edge = std::min(1.0, (std::exp2(level) - 1) / placements);
  double one = fill.power(k);
  double any =
      one >= 1 ? 1 : -std::expm1(dyadic_probes(size.width, query, level) * std::log1p(-one));
  return edge + (1 - edge) * any;
}

}  // namespace beckon::filters
