// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <span>
#include <string_view>

#include "base/hash.h"
#include "filters/bits/positions.h"
#include "filters/spectral/counter_array.h"

namespace beckon::filters {

/// What two spectral filters must share to be added, multiplied or compared.
struct SpectralShape {
  static constexpr std::uint32_t max_counters = 1U << 30;
  static constexpr std::uint32_t max_k = 32;

  std::uint32_t counters = 0;  // m, 2 .. max_counters
  std::uint32_t k = 5;         // positions of an element, 1 .. max_k, or 10 in blocks of 64
  std::uint64_t salt = 0;      // other salt, other positions
  std::uint32_t block = 0;     // 0, or a power of two, 64 to 65536, that divides counters (twice at
                               // least): all positions of an element lie in one block of so many

  Result<void> check() const;
  Result<SpectralShape> folded(std::uint32_t to) const;  // the same with `to` counters, a divisor
  Hash128 element(std::string_view text) const { return widened(xxh3_64(as_bytes(text), salt)); }
  /// Hashing a text to 64 bits takes a third less time than to 128, and two of the elements that
  /// make sense in a filter agree in them with a chance below 0.001.
  static constexpr Hash128 widened(std::uint64_t hash) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(hash) * 0x9e3779b97f4a7c15ULL;
    return {.low = hash, .high = static_cast<std::uint64_t>(product >> 64 ^ product)};
  }
  friend bool operator==(const SpectralShape&, const SpectralShape&) = default;
};

/// The positions of one element, in order: k of them, repeats included, or the different ones only
/// (Placement).
class Positions {
 public:
  const std::uint32_t* begin() const { return at_.data(); }
  const std::uint32_t* end() const { return at_.data() + size_; }
  std::uint32_t size() const { return size_; }
  std::uint32_t operator[](std::uint32_t j) const { return at_[j]; }

 private:
  friend class Placement;
  explicit Positions(std::uint32_t size) : size_(size) {}

  std::array<std::uint32_t, SpectralShape::max_k> at_;
  std::uint32_t size_;
};

/// Where elements lie in filters of one shape. Without blocks, position j is word j mod m. With
/// blocks (the external-memory variant of spectral-filters 2.2), word 0 chooses the block, and the
/// places in it are cut from the next words, several from each: one line of cache instead of k, for
/// somewhat more errors. Both ways a position in a folded filter is the position modulo its size.
/// In a block of 64, a line, a place that comes up twice counts once, so that the places are a word
/// of 64 bits and a line is counted up at once (count_lines.h).
class Placement {
 public:
  static constexpr std::uint32_t line = 64;
  static constexpr std::uint32_t line_places = 10;

  explicit Placement(const SpectralShape& shape)
      : modulus_(shape.block == 0 ? shape.counters : shape.counters / shape.block),
        k_(shape.k),
        block_(shape.block),
        place_bits_(shape.block == 0 ? 32 : static_cast<unsigned>(std::countr_zero(shape.block))) {}

  Positions of(const Hash128& element) const {
    if (by_line()) return in_line(element);
    Positions out(k_);
    if (block_ == 0) {
      positions(element, modulus_, {out.at_.data(), k_});
      return out;
    }
    std::uint32_t base = modulus_.of(word(element, 0)) * block_;
    std::uint32_t each = places_per_word();
    for (std::uint32_t j = 0, index = 0; j < k_; ++index) {
      std::uint32_t bits = word(element, index + 1);
      for (std::uint32_t n = 0; n < each && j < k_; ++n, ++j, bits >>= place_bits_) {
        out.at_[j] = base + (bits & (block_ - 1));
      }
    }
    return out;
  }
  bool by_line() const { return block_ == line; }
  /// How many positions of() gives on average.
  double mean_positions() const {
    return by_line() ? line * (1 - std::pow(1 - 1.0 / line, k_)) : k_;
  }
  std::uint32_t places_per_word() const { return 32 / place_bits_; }
  unsigned place_bits() const { return place_bits_; }
  const Modulus& modulus() const { return modulus_; }
  std::uint32_t k() const { return k_; }
  std::uint32_t block() const { return block_; }

 private:
  Positions in_line(const Hash128& element) const {
    Positions out(0);
    std::uint32_t base = modulus_.of(static_cast<std::uint32_t>(element.low >> 32)) * line;
    std::uint64_t seen = 0;
    for (std::uint32_t j = 0; j < k_; ++j) {
      auto place = static_cast<std::uint32_t>(element.high >> (6 * j)) % line;
      if ((seen >> place & 1) == 0) out.at_[out.size_++] = base + place;
      seen |= std::uint64_t{1} << place;
    }
    return out;
  }

  Modulus modulus_;  // counters, or blocks
  std::uint32_t k_;
  std::uint32_t block_;
  unsigned place_bits_;  // log2 of the block
};

/// How often each element of a multiset occurs, in m counters: the spectral Bloom filter with
/// minimum selection (spectral-filters 2.2). estimate() is never below the truth (Claim 1), as long
/// as only what was inserted is removed; it is above it with the probability of a Bloom error.
/// Elements are 128-bit hashes, made by shape().element() or by filters/positions. Counters stop at
/// max_count and then stay, so the promise survives even that.
class SpectralFilter {
 public:
  static Result<SpectralFilter> make(const SpectralShape& shape);

  void insert(const Hash128& element, std::uint64_t count = 1);
  /// The same as inserting each once, but with positions computed side by side and memory fetched
  /// ahead; for streams. Quickest with blocks of 64 and for texts, which shape().element() would
  /// make elements.
  void insert_all(std::span<const Hash128> elements);
  void insert_all(std::span<const std::string_view> texts);
  /// False, and nothing changed, if that many cannot be there.
  bool remove(const Hash128& element, std::uint64_t count = 1);

  std::uint64_t estimate(const Hash128& element) const;
  bool at_least(const Hash128& element, std::uint64_t threshold) const;
  /// Right on average, for sums over many elements (spectral-filters 3.1): the counters less the
  /// mean noise, as the median of the means of `groups` groups of counters. May be negative, and
  /// says little about a single element. groups is 1..k.
  double unbiased(const Hash128& element, std::uint32_t groups = 1) const;

  /// Union: counts add.
  Result<void> add(const SpectralFilter& other);
  /// Join: counts multiply, each still an upper bound.
  Result<void> multiply(const SpectralFilter& other);
  /// The filter that the same insertions give with `counters` counters, a divisor of ours (and a
  /// multiple of the block).
  Result<SpectralFilter> fold(std::uint32_t counters) const;

  const SpectralShape& shape() const { return shape_; }
  std::uint64_t total() const { return total_; }  // occurrences inserted and not removed
  const CounterArray& counters() const { return counters_; }
  Positions positions_of(const Hash128& element) const { return placement_.of(element); }
  std::vector<std::uint64_t> values() const;  // of all counters
  /// From counters and a total that somebody sent; values.size() must be shape.counters.
  static Result<SpectralFilter> from_values(const SpectralShape& shape, std::uint64_t total,
                                            std::span<const std::uint64_t> values);

  friend bool operator==(const SpectralFilter& a, const SpectralFilter& b) {
    return a.shape_ == b.shape_ && a.total_ == b.total_ && a.counters_ == b.counters_;
  }

 private:
  explicit SpectralFilter(const SpectralShape& shape);

  SpectralShape shape_;
  Placement placement_;
  CounterArray counters_;
  std::uint64_t total_ = 0;
};

}  // namespace beckon::filters
