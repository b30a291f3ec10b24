#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "filters/large_pages.h"

namespace beckon::filters {

/// A Bloom filter over many keys, cut into blocks of one cache line: the low half of a key's hash
/// chooses a block, the high half k of its eight words and a bit in each. One memory access per
/// question instead of k and no branch, for about 18 % more mistakes than the classic filter makes
/// at 10 bits per key. Never denies what was inserted. Lives in memory only: how a key chooses its
/// bits may change from one version to the next.
class BlockedBloomFilter {
 public:
  static constexpr std::uint32_t block_bits = 512;
  static constexpr std::uint32_t lanes = 8;  // 64-bit words of a block
  static constexpr std::uint32_t max_k = lanes;

  struct alignas(64) Block {
    std::array<std::uint64_t, lanes> words{};
  };
  /// For each of eight choices the lanes that carry a bit, as all ones or all zeros.
  struct LaneChoices {
    alignas(64) std::array<std::array<std::uint64_t, lanes>, 8> masks{};
  };

  /// insert() and may_contain() below for one instruction set (blocked_bloom_keys.cpp). A filter
  /// keeps the best set of the machine, so that a question costs one indirect call and no choice.
  struct Kernels {
    void (*insert_one)(ByteView, const LaneChoices&, std::span<Block>);
    void (*insert_many)(std::span<const ByteView>, const LaneChoices&, std::span<Block>);
    bool (*find_one)(ByteView, const LaneChoices&, std::span<const Block>);
    void (*find_many)(std::span<const ByteView>, const LaneChoices&, std::span<const Block>, bool*);
  };

  /// At least `bits` bits, rounded up to whole blocks; bits 1 .. 2^40, k 1 .. max_k.
  BlockedBloomFilter(std::uint64_t bits, std::uint32_t k);
  /// Room for n keys, with the k that makes the fewest mistakes.
  static BlockedBloomFilter for_keys(std::uint64_t n, double bits_per_key);
  static std::uint32_t best_k(double bits_per_key);  // within 1 % of the least rate

  std::uint64_t bits() const { return blocks_.size() * block_bits; }
  std::uint32_t k() const { return k_; }

  void insert(ByteView key) { kernels_->insert_one(key, *choices_, blocks_); }
  bool may_contain(ByteView key) const { return kernels_->find_one(key, *choices_, blocks_); }
  /// The same for many, fetching blocks ahead: out[i] answers keys[i].
  void insert(std::span<const ByteView> keys) { kernels_->insert_many(keys, *choices_, blocks_); }
  void may_contain(std::span<const ByteView> keys, std::span<bool> out) const {
    ENSURE(out.size() >= keys.size());
    kernels_->find_many(keys, *choices_, blocks_, out.data());
  }

  bool compatible(const BlockedBloomFilter& other) const;
  void merge(const BlockedBloomFilter& other);
  bool may_be_subset_of(const BlockedBloomFilter& other) const;

  double fill() const;
  double estimate_count() const;
  /// The rate to expect once n = bits / bits_per_key keys are in: blocks get a Poisson share each.
  static double expected_rate(double bits_per_key, std::uint32_t k);

 private:
  static Kernels best_kernels();

  std::uint32_t k_;
  const LaneChoices* choices_;  // one of a few constant tables
  const Kernels* kernels_;
  std::vector<Block, LargePages<Block>> blocks_;
};

}  // namespace beckon::filters
