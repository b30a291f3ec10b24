#include "filters/blocked_bloom.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace beckon::filters {

namespace {

constexpr std::size_t ahead = 16;  // keys fetched before they are needed

}  // namespace

BlockedBloomFilter::BlockedBloomFilter(std::uint64_t bits, std::uint32_t k)
    : k_(k), blocks_((bits + block_bits - 1) / block_bits) {
  ENSURE(bits >= 1 && bits <= std::uint64_t{1} << 40);
  ENSURE(k >= 1 && k <= max_k);
}

BlockedBloomFilter BlockedBloomFilter::for_keys(std::uint64_t n, double bits_per_key) {
  std::uint32_t best = 1;
  for (std::uint32_t k = 2; k <= max_k; ++k) {
    if (expected_rate(bits_per_key, k) < expected_rate(bits_per_key, best)) best = k;
  }
  double bits = std::max(1.0, std::ceil(static_cast<double>(n) * bits_per_key));
  return {static_cast<std::uint64_t>(bits), best};
}

void BlockedBloomFilter::insert(std::span<const Hash128> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + ahead < keys.size()) __builtin_prefetch(&blocks_[block_of(keys[i + ahead])], 1);
    insert(keys[i]);
  }
}

void BlockedBloomFilter::may_contain(std::span<const Hash128> keys, std::span<bool> out) const {
  ENSURE(out.size() >= keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + ahead < keys.size()) __builtin_prefetch(&blocks_[block_of(keys[i + ahead])]);
    out[i] = may_contain(keys[i]);
  }
}

bool BlockedBloomFilter::compatible(const BlockedBloomFilter& other) const {
  return blocks_.size() == other.blocks_.size() && k_ == other.k_;
}

void BlockedBloomFilter::merge(const BlockedBloomFilter& other) {
  ENSURE(compatible(other));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (std::size_t i = 0; i < 8; ++i) blocks_[b].words[i] |= other.blocks_[b].words[i];
  }
}

bool BlockedBloomFilter::may_be_subset_of(const BlockedBloomFilter& other) const {
  ENSURE(compatible(other));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (std::size_t i = 0; i < 8; ++i) {
      if ((blocks_[b].words[i] & ~other.blocks_[b].words[i]) != 0) return false;
    }
  }
  return true;
}

double BlockedBloomFilter::fill() const {
  std::uint64_t ones = 0;
  for (const Block& block : blocks_) {
    for (std::uint64_t word : block.words) ones += static_cast<std::uint64_t>(std::popcount(word));
  }
  return static_cast<double>(ones) / static_cast<double>(bits());
}

double BlockedBloomFilter::estimate_count() const {
  double count = 0;
  for (const Block& block : blocks_) {
    int ones = 0;
    for (std::uint64_t word : block.words) ones += std::popcount(word);
    double share = std::min<double>(ones, block_bits - 0.5) / block_bits;
    count += -double{block_bits} / k_ * std::log1p(-share);
  }
  return count;
}

double BlockedBloomFilter::expected_rate(double bits_per_key, std::uint32_t k) {
  double mean = block_bits / bits_per_key;
  double rate = 0;
  for (int n = 1; n < 4 * mean + 100; ++n) {
    double chance = std::exp(n * std::log(mean) - mean - std::lgamma(n + 1));  // that a block got n
    double zero = std::exp(n * static_cast<double>(k) * std::log1p(-1.0 / block_bits));
    rate += chance * std::pow(1 - zero, k);
  }
  return rate;
}

}  // namespace beckon::filters
