// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "filters/bits/bit_array.h"
#include "filters/bits/positions.h"

namespace beckon::filters {

/// Bloom's filter as he wrote it: a set of seeds in m bits, k independent positions each. Never
/// denies what was inserted. For small sets whose bits travel or are compared; a filter over many
/// keys that stays in memory is quicker as a BlockedBloomFilter.
class BloomFilter {
 public:
  static constexpr std::uint32_t max_k = 64;

  /// bits 8 .. 2^31, k 1 .. max_k.
  BloomFilter(std::uint32_t bits, std::uint32_t k);
  /// The k that makes n keys in `bits` bits rarest to be mistaken: round(ln 2 * bits / n), within
  /// limits.
  static std::uint32_t best_k(std::uint32_t bits, std::uint64_t n);

  std::uint32_t k() const { return k_; }
  const BitArray& bits() const { return bits_; }

  void insert(const Hash128& seed);
  bool may_contain(const Hash128& seed) const;

  bool compatible(const BloomFilter& other) const;  // same length and k; the two below need it
  void merge(const BloomFilter& other);             // then holds both sets
  /// False means that some key here is certainly not there.
  bool may_be_subset_of(const BloomFilter& other) const;

  /// Equal to having inserted everything into a filter of `bits` bits; at least 8, a divisor of
  /// ours.
  BloomFilter fold(std::uint32_t bits) const;

  double fill() const;
  /// How many keys were inserted, judged by the ones: -m/k ln(1 - ones/m). A full filter counts as
  /// one with half a zero left, so the answer stays finite.
  double estimate_count() const;
  /// Chance that a key never inserted is taken for a member, at the present fill.
  double false_positive_rate() const;

 private:
  std::uint32_t k_;
  Modulus modulus_;
  BitArray bits_;
};

}  // namespace beckon::filters
