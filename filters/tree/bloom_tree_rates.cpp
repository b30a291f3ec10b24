// SPDX-License-Identifier: MIT
#include "filters/tree/bloom_tree_rates.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filters/bits/bit_runs.h"
#include "filters/coding/bit_coder.h"
#include "filters/coding/filter_coder.h"
#include "filters/tree/bloom_tree_codec.h"

namespace beckon::filters {

namespace {

/// Chances that k throws into m places hit exactly a given set of s places, times m^s: these are
/// surjections(k, s) / m^(k - s).
std::vector<double> exact_hits(std::uint32_t k, double m) {
  std::vector<double> surjections(k + 1, 0.0);
  surjections[0] = 1;
  for (std::uint32_t thrown = 0; thrown < k; ++thrown) {
    for (std::uint32_t s = k; s > 0; --s)
      surjections[s] = s * (surjections[s] + surjections[s - 1]);
    surjections[0] = 0;
  }
  for (std::uint32_t s = 0; s <= k; ++s) surjections[s] /= std::pow(m, k - s);
  return surjections;
}

/// What passes below each bit of one filter, gathered bit by bit.
class FilterSum {
 public:
  FilterSum(std::uint32_t bits, std::uint32_t k)
      : bits_(bits), k_(k), hits_(exact_hits(k, bits)), symmetric_(k + 1) {}

  void start() {
    std::fill(symmetric_.begin(), symmetric_.end(), 0.0);
    symmetric_[0] = 1;
    ones_ = 0;
    logs_ = 0;
  }
  void one(double accepted, double log) {
    // Elementary symmetric polynomials of accepted / m: all ways to hit s different bits.
    double share = accepted / bits_;
    for (std::uint32_t s = k_; s > 0; --s) symmetric_[s] += share * symmetric_[s - 1];
    ++ones_;
    logs_ += log;
  }
  double accepted() const {
    double out = 0;
    for (std::uint32_t s = 1; s <= k_; ++s) out += hits_[s] * symmetric_[s];
    return out;
  }
  double log() const {
    if (ones_ == 0) return 0;  // no query that keeps to ones comes here
    double visited = std::min(k_, ones_);
    return k_ * std::log(static_cast<double>(ones_) / bits_) + visited * logs_ / ones_;
  }

 private:
  std::uint32_t bits_;
  std::uint32_t k_;
  std::vector<double> hits_;
  std::vector<double> symmetric_;
  std::uint32_t ones_ = 0;
  double logs_ = 0;
};

struct LevelRates {
  std::vector<double> accepted{};
  std::vector<double> log{};
};

/// The filters of a level (or the slices of a partitioned root) from those of the level below.
LevelRates rates_of(const BloomTree& tree, std::size_t level, TreeLevel filter,
                    std::uint64_t filters, const LevelRates& below) {
  bool leaf = below.accepted.empty();
  FilterSum sum(filter.bits, filter.k);
  LevelRates out;
  out.accepted.reserve(filters);
  out.log.reserve(filters);
  for (std::uint64_t f = 0; f < filters; ++f) {
    sum.start();
    for (std::uint64_t bit = f * filter.bits; bit < (f + 1) * filter.bits; ++bit) {
      if (!tree.test(level, bit)) continue;
      sum.one(leaf ? 1 : below.accepted[bit], leaf ? 0 : below.log[bit]);
    }
    out.accepted.push_back(sum.accepted());
    out.log.push_back(sum.log());
  }
  return out;
}

std::uint64_t ones_in(const BloomTree& tree, std::size_t level) {
  std::uint64_t out = 0;
  each_piece(tree.shape().level_bits(level), [&](std::uint64_t done, unsigned piece) {
    out +=
        static_cast<unsigned>(std::popcount(run_at(tree.bits(), tree.offset(level) + done, piece)));
  });
  return out;
}

}  // namespace

TreeRates rates(const BloomTree& tree) {
  const BloomTreeShape& shape = tree.shape();
  LevelRates below;
  for (std::size_t level = shape.depth(); level-- > 1;) {
    below = rates_of(tree, level, shape.levels[level], shape.filters(level), below);
  }
  TreeLevel root = shape.levels[0];
  if (!shape.partitioned) {
    LevelRates top = rates_of(tree, 0, root, 1, below);
    return {.geometric = std::exp(top.log[0]), .arithmetic = top.accepted[0]};
  }
  LevelRates slices = rates_of(tree, 0, {.bits = root.bits / root.k, .k = 1}, root.k, below);
  TreeRates out{.geometric = 1, .arithmetic = 1};
  for (std::uint32_t i = 0; i < root.k; ++i) {
    out.geometric *= std::exp(slices.log[i]);
    out.arithmetic *= slices.accepted[i];
  }
  return out;
}

std::vector<double> entropy_by_level(const BloomTree& tree, SentLevels sent) {
  std::vector<double> out;
  std::uint64_t parents = 1;
  for (std::size_t level = 0; level < tree.shape().depth(); ++level) {
    std::uint64_t bits = sent == SentLevels::whole ? tree.shape().level_bits(level)
                                                   : parents * tree.shape().levels[level].bits;
    parents = ones_in(tree, level);
    out.push_back(sent == SentLevels::filters_of_ones && level > 0
                      ? filter_entropy_bits(children_of_ones(tree, level - 1),
                                            tree.shape().levels[level].bits)
                      : entropy_bits(parents, bits));
  }
  return out;
}

double entropy_bits(const BloomTree& tree, SentLevels sent) {
  double out = 0;
  for (double bits : entropy_by_level(tree, sent)) out += bits;
  return out;
}

}  // namespace beckon::filters
