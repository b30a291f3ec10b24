#include "filters/blocked_bloom.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace beckon::filters {

namespace {

using Table = BlockedBloomFilter::LaneChoices;

/// k of eight lanes, turned by the choice. The lanes left out are spread over the block, so that
/// neighbouring choices do not share all but one.
constexpr Table lane_choices(std::uint32_t k) {
  constexpr std::array<std::uint32_t, 8> order{0, 4, 2, 6, 1, 5, 3, 7};
  Table out;
  for (std::uint32_t choice = 0; choice < 8; ++choice) {
    for (std::uint32_t i = 0; i < k; ++i)
      out.masks[choice][(order[i] + choice) % 8] = ~std::uint64_t{0};
  }
  return out;
}

constexpr std::array<Table, 8> tables{lane_choices(1), lane_choices(2), lane_choices(3),
                                      lane_choices(4), lane_choices(5), lane_choices(6),
                                      lane_choices(7), lane_choices(8)};

const Table* table_for(std::uint32_t k) {
  ENSURE(k >= 1 && k <= BlockedBloomFilter::max_k);
  return &tables[k - 1];
}

int ones(const BlockedBloomFilter::Block& block) {
  int count = 0;
  for (std::uint64_t word : block.words) count += std::popcount(word);
  return count;
}

}  // namespace

BlockedBloomFilter::BlockedBloomFilter(std::uint64_t bits, std::uint32_t k)
    : k_(k), choices_(table_for(k)), blocks_((bits + block_bits - 1) / block_bits) {
  ENSURE(bits >= 1 && bits <= std::uint64_t{1} << 40);
  static const Kernels best = best_kernels();
  kernels_ = &best;
}

std::uint32_t BlockedBloomFilter::best_k(double bits_per_key) {
  // Fitted to expected_rate: a little below ln 2 per bit, as full blocks make most of the mistakes.
  double k = std::round(0.63 * bits_per_key + 0.15);
  return static_cast<std::uint32_t>(std::clamp(k, 1.0, double{max_k}));
}

BlockedBloomFilter BlockedBloomFilter::for_keys(std::uint64_t n, double bits_per_key) {
  double bits = std::max(1.0, std::ceil(static_cast<double>(n) * bits_per_key));
  return {static_cast<std::uint64_t>(bits), best_k(bits_per_key)};
}

bool BlockedBloomFilter::compatible(const BlockedBloomFilter& other) const {
  return blocks_.size() == other.blocks_.size() && k_ == other.k_;
}

void BlockedBloomFilter::merge(const BlockedBloomFilter& other) {
  ENSURE(compatible(other));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (std::size_t i = 0; i < lanes; ++i) blocks_[b].words[i] |= other.blocks_[b].words[i];
  }
}

bool BlockedBloomFilter::may_be_subset_of(const BlockedBloomFilter& other) const {
  ENSURE(compatible(other));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (std::size_t i = 0; i < lanes; ++i) {
      if ((blocks_[b].words[i] & ~other.blocks_[b].words[i]) != 0) return false;
    }
  }
  return true;
}

double BlockedBloomFilter::fill() const {
  double count = 0;
  for (const Block& block : blocks_) count += ones(block);
  return count / static_cast<double>(bits());
}

double BlockedBloomFilter::estimate_count() const {
  // Of n keys a bit escapes each with chance 1 - k / 512, lane by lane exactly.
  double per_zero = 1 / std::log1p(-static_cast<double>(k_) / block_bits);
  double count = 0;
  for (const Block& block : blocks_) {
    double share = std::min<double>(ones(block), block_bits - 0.5) / block_bits;
    count += std::log1p(-share) * per_zero;
  }
  return count;
}

double BlockedBloomFilter::expected_rate(double bits_per_key, std::uint32_t k) {
  double mean = block_bits / bits_per_key;
  double rate = 0;
  for (int n = 1; n < 4 * mean + 100; ++n) {
    double chance = std::exp(n * std::log(mean) - mean - std::lgamma(n + 1));  // that a block got n
    double zero = std::exp(n * std::log1p(-static_cast<double>(k) / block_bits));
    rate += chance * std::pow(1 - zero, k);
  }
  return rate;
}

}  // namespace beckon::filters
