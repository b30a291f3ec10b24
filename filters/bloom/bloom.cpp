// SPDX-License-Identifier: MIT
#include "filters/bloom/bloom.h"

#include <algorithm>
#include <cmath>

namespace beckon::filters {

BloomFilter::BloomFilter(std::uint32_t bits, std::uint32_t k) : k_(k), modulus_(bits), bits_(bits) {
  ENSURE(bits >= 8 && bits <= std::uint32_t{1} << 31);
  ENSURE(k >= 1 && k <= max_k);
}

std::uint32_t BloomFilter::best_k(std::uint32_t bits, std::uint64_t n) {
  double best = std::log(2.0) * bits / static_cast<double>(std::max<std::uint64_t>(n, 1));
  return static_cast<std::uint32_t>(std::clamp(std::round(best), 1.0, double{max_k}));
}

void BloomFilter::insert(const Hash128& seed) {
  set_positions({&seed, 1}, k_, modulus_, bits_.words());
}

bool BloomFilter::may_contain(const Hash128& seed) const {
  for (std::uint32_t j = 0; j < k_; ++j) {
    if (!bits_.test(modulus_.of(word(seed, j)))) return false;
  }
  return true;
}

bool BloomFilter::compatible(const BloomFilter& other) const {
  return bits_.size() == other.bits_.size() && k_ == other.k_;
}

void BloomFilter::merge(const BloomFilter& other) {
  ENSURE(compatible(other));
  bits_ |= other.bits_;
}

bool BloomFilter::may_be_subset_of(const BloomFilter& other) const {
  ENSURE(compatible(other));
  return bits_.is_subset_of(other.bits_);
}

BloomFilter BloomFilter::fold(std::uint32_t bits) const {
  BloomFilter out(bits, k_);
  out.bits_ = bits_.fold(bits);
  return out;
}

double BloomFilter::fill() const {
  return static_cast<double>(bits_.count()) / static_cast<double>(bits_.size());
}

double BloomFilter::estimate_count() const {
  auto m = static_cast<double>(bits_.size());
  double ones = std::min(static_cast<double>(bits_.count()), m - 0.5);
  return -m / k_ * std::log1p(-ones / m);
}

double BloomFilter::false_positive_rate() const { return std::pow(fill(), k_); }

}  // namespace beckon::filters
