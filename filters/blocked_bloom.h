#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"

namespace beckon::filters {

/// A Bloom filter over many keys, cut into blocks of one cache line: a key chooses a block by the
/// low half of its hash, then k independent bits in it by the high half. One memory access per
/// question instead of k, for a rate of mistakes about 15 % above the classic filter's at 10 bits
/// per key. Never denies what was inserted. Keys are hashes (base/hash.h xxh3_128 of their bytes).
class BlockedBloomFilter {
 public:
  static constexpr std::uint32_t block_bits = 512;
  static constexpr std::uint32_t max_k = 14;

  /// At least `bits` bits, rounded up to whole blocks; bits 1 .. 2^40, k 1 .. max_k.
  BlockedBloomFilter(std::uint64_t bits, std::uint32_t k);
  /// Room for n keys; k is chosen for the least false positives.
  static BlockedBloomFilter for_keys(std::uint64_t n, double bits_per_key);

  std::uint64_t bits() const { return blocks_.size() * block_bits; }
  std::uint32_t k() const { return k_; }

  void insert(const Hash128& key) { set(blocks_[block_of(key)], key); }
  bool may_contain(const Hash128& key) const { return test(blocks_[block_of(key)], key); }
  /// The same for many: out[i] answers keys[i]. Fetches ahead, so it pays in filters beyond the
  /// cache.
  void insert(std::span<const Hash128> keys);
  void may_contain(std::span<const Hash128> keys, std::span<bool> out) const;

  bool compatible(const BlockedBloomFilter& other) const;
  void merge(const BlockedBloomFilter& other);
  bool may_be_subset_of(const BlockedBloomFilter& other) const;

  double fill() const;
  double estimate_count() const;
  /// The rate to expect with n keys inserted: blocks get a Poisson share each.
  static double expected_rate(double bits_per_key, std::uint32_t k);

 private:
  struct alignas(64) Block {
    std::array<std::uint64_t, block_bits / 64> words{};
    friend bool operator==(const Block&, const Block&) = default;
  };
  /// Nine bits choose a bit of a block, so a 64-bit word makes seven positions.
  static constexpr std::uint32_t per_word = 7;

  std::size_t block_of(const Hash128& key) const {
    return static_cast<std::size_t>(((key.low >> 32) * blocks_.size()) >> 32);
  }
  /// The second word of positions, for k > 7; the low half's lower bits did not choose the block.
  static std::uint64_t second_word(const Hash128& key) {
    std::uint64_t x = (key.low ^ (key.high >> 29)) * 0xbf58476d1ce4e5b9ULL;
    return x ^ (x >> 32);
  }

  void set(Block& block, const Hash128& key) const {
    std::uint64_t source = key.high;
    for (std::uint32_t j = 0; j < k_; ++j, source >>= 9) {
      if (j == per_word) source = second_word(key);
      block.words[(source >> 6) & 7] |= std::uint64_t{1} << (source & 63);
    }
  }
  /// No branch before the end: which bit is the first zero cannot be predicted.
  bool test(const Block& block, const Hash128& key) const {
    std::uint64_t source = key.high;
    std::uint64_t all = 1;
    for (std::uint32_t j = 0; j < k_; ++j, source >>= 9) {
      if (j == per_word) source = second_word(key);
      all &= block.words[(source >> 6) & 7] >> (source & 63);
    }
    return (all & 1) != 0;
  }

  std::uint32_t k_;
  std::vector<Block> blocks_;
};

}  // namespace beckon::filters
