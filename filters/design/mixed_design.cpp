// SPDX-License-Identifier: MIT
// The hybrid of GO and dyadic prefixes (and dyadic alone). The number of dyadic blocks depends on
// how a range happens to lie, so filters differ in fill much more than hashing makes them differ;
// the objective is therefore averaged over the sum of the block counts, each with the spread that
// hashing adds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "filters/design/dyadic.h"
#include "filters/design/go_candidate.h"
#include "filters/design/rivals.h"

namespace beckon::filters {

namespace {

class MixedSearch {
 public:
  MixedSearch(const Load& load, const MixedOptions& options)
      : load_(load), options_(options), steps_(load, options.bits) {
    for (const TextLoad& text : load.texts) {
      texts_ += text.count;
      text_weight_ += text.count * text.weight;
    }
  }

  MixedDesign run() {
    int start = std::clamp(initial_k(load_, options_.bits), options_.k_low, options_.k_high);
    MixedDesign best = at(start);
    for (int direction : {+1, -1}) {
      int since = 0;
      for (int k = start + direction; k >= options_.k_low && k <= options_.k_high && since < 3;
           k += direction) {
        MixedDesign found = at(k);
        since = found.total_fpr < best.total_fpr ? 0 : since + 1;
        if (found.total_fpr < best.total_fpr) best = found;
      }
    }
    detail(best);
    return best;
  }

 private:
  using Choice = MixedDesign::Choice;

  const std::vector<double>& blocks(std::size_t i, int level) {
    auto [entry, fresh] = blocks_.try_emplace({i, level});
    if (fresh) entry->second = dyadic_blocks(load_.ranges[i].size.width, level);
    return entry->second;
  }

  /// How many dyadic blocks there are in all: (count, chance).
  std::vector<std::pair<double, double>> block_counts(const MixedDesign& design) {
    std::vector<double> sum{1.0};
    for (std::size_t i = 0; i < design.choices.size(); ++i) {
      if (!design.choices[i].dyadic) continue;
      const std::vector<double>& one = blocks(i, design.choices[i].level);
      std::vector<double> next(sum.size() + one.size() - 1, 0);
      for (std::size_t a = 0; a < sum.size(); ++a) {
        for (std::size_t b = 0; b < one.size(); ++b) next[a + b] += sum[a] * one[b];
      }
      sum = std::move(next);
    }
    std::vector<std::pair<double, double>> counts;
    double mean = 0;
    for (std::size_t n = 0; n < sum.size(); ++n) {
      mean += static_cast<double>(n) * sum[n];
      if (sum[n] > 1e-12) counts.emplace_back(static_cast<double>(n), sum[n]);
    }
    if (options_.spread == Spread::mean_fill) return {{mean, 1.0}};
    return counts;
  }

  double fixed_positions(const MixedDesign& design) const {
    double sum = static_cast<double>(texts_) * design.k;
    for (std::size_t i = 0; i < design.choices.size(); ++i) {
      if (!design.choices[i].dyadic) {
        sum += go_positions(load_.ranges[i].size.width, design.choices[i].shape);
      }
    }
    return sum;
  }

  Fill fill(double positions) const {
    return options_.spread == Spread::mean_fill ? fill_of(positions, options_.bits)
                                                : fluctuating_fill(positions, options_.bits);
  }

  double range_fpr(std::size_t i, const Choice& choice, int k, const Fill& fill) const {
    const RangeLoad& range = load_.ranges[i];
    return choice.dyadic ? dyadic_fpr(range.size, choice.level, k, range.query, fill)
                         : range_rate(range, choice.shape, fill);
  }

  double cost(const MixedDesign& design) {
    double fixed = fixed_positions(design);
    double total = 0;
    for (auto [count, chance] : block_counts(design)) {
      Fill full = fill(fixed + count * design.k);
      double sum = text_weight_ * text_fpr(full, design.k);
      for (std::size_t i = 0; i < design.choices.size(); ++i) {
        sum += load_.ranges[i].weight * range_fpr(i, design.choices[i], design.k, full);
      }
      total += chance * sum;
    }
    return total;
  }

  bool keep_if_better(MixedDesign& design, std::size_t i, const Choice& next) {
    Choice before = std::exchange(design.choices[i], next);
    double total = cost(design);
    if (total < design.total_fpr * (1 - 1e-12)) {
      design.total_fpr = total;
      return true;
    }
    design.choices[i] = before;
    return false;
  }

  /// Doubling steps along the attribute's own sequence.
  bool walk(MixedDesign& design, std::size_t i, int direction) {
    bool moved = false;
    for (std::int64_t step = 1; step > 0;) {
      Choice next = design.choices[i];
      bool possible = true;
      if (next.dyadic) {
        next.level += static_cast<int>(direction * step);
        possible = next.level >= 0 && next.level <= dyadic_levels(load_.ranges[i].size.scope);
      } else {
        possible = steps_.step(i, next.shape, direction * step);
      }
      bool better = possible && keep_if_better(design, i, next);
      moved |= better;
      step = better ? step * 2 : step / 2;
    }
    return moved;
  }

  /// The other kind for attribute i, at the best of a few places of its sequence.
  bool change_kind(MixedDesign& design, std::size_t i, const Shape& shape) {
    Choice next = design.choices[i];
    next.dyadic = !next.dyadic;
    if (next.dyadic ? !options_.allow_dyadic : !options_.allow_go) return false;
    if (steps_.is_point(i)) return false;  // a point is one key either way
    next.shape = shape;
    MixedDesign trial = design;
    trial.choices[i] = next;
    trial.total_fpr = cost(trial);
    for (bool again = true; again;) again = walk(trial, i, +1) || walk(trial, i, -1);
    if (trial.total_fpr >= design.total_fpr * (1 - 1e-12)) return false;
    design = trial;
    return true;
  }

  void descend(MixedDesign& design, const std::vector<Shape>& shapes) {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < design.choices.size(); ++i) {
        again |= walk(design, i, +1) || walk(design, i, -1);
      }
      if (again) continue;
      for (std::size_t i = 0; i < design.choices.size(); ++i) {
        again |= change_kind(design, i, shapes[i]);
      }
    }
  }

  MixedDesign at(int k) {
    Design go = two_phase_at(load_, options_.bits, k);
    MixedDesign best;
    best.total_fpr = std::numeric_limits<double>::infinity();
    for (bool dyadic : {false, true}) {
      if (dyadic ? !options_.allow_dyadic : !options_.allow_go) continue;
      MixedDesign design{options_.bits, k, {}, 0, 0, {}, {}, 0};
      for (std::size_t i = 0; i < load_.ranges.size(); ++i) {
        design.choices.push_back({dyadic && !steps_.is_point(i), go.ranges[i], 0});
      }
      design.total_fpr = cost(design);
      descend(design, go.ranges);
      if (design.total_fpr < best.total_fpr) best = design;
    }
    return best;
  }

  double mean_positions(std::size_t i, const Choice& choice, int k) {
    if (!choice.dyadic) return go_positions(load_.ranges[i].size.width, choice.shape);
    double mean = 0;
    const std::vector<double>& chances = blocks(i, choice.level);
    for (std::size_t n = 0; n < chances.size(); ++n) mean += static_cast<double>(n) * chances[n];
    return mean * k;
  }

  void detail(MixedDesign& design) {
    double fixed = fixed_positions(design);
    design.range_fpr.assign(design.choices.size(), 0);
    design.text_fpr = 0;
    for (std::size_t i = 0; i < design.choices.size(); ++i) {
      design.range_positions.push_back(mean_positions(i, design.choices[i], design.k));
    }
    for (auto [count, chance] : block_counts(design)) {
      double positions = fixed + count * design.k;
      Fill full = fill(positions);
      design.positions += chance * positions;
      design.text_fpr += chance * text_fpr(full, design.k);
      for (std::size_t i = 0; i < design.choices.size(); ++i) {
        design.range_fpr[i] += chance * range_fpr(i, design.choices[i], design.k, full);
      }
    }
  }

  const Load& load_;
  MixedOptions options_;
  GoCost steps_;
  int texts_ = 0;
  double text_weight_ = 0;
  std::map<std::pair<std::size_t, int>, std::vector<double>> blocks_;
};

}  // namespace

MixedDesign design_mixed(const Load& load, const MixedOptions& options) {
  return MixedSearch(load, options).run();
}

}  // namespace beckon::filters
