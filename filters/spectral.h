#pragma once

#include <span>
#include <string_view>

#include "base/hash.h"
#include "filters/counter_array.h"
#include "filters/positions.h"

namespace beckon::filters {

/// What two spectral filters must share to be added, multiplied or compared.
struct SpectralShape {
  static constexpr std::uint32_t max_counters = 1U << 30;
  static constexpr std::uint32_t max_k = 32;

  std::uint32_t counters = 0;  // m, 2 .. max_counters
  std::uint32_t k = 5;         // positions of an element, 1 .. max_k
  std::uint64_t salt = 0;      // other salt, other positions

  Result<void> check() const;
  Hash128 element(std::string_view text) const { return xxh3_128(as_bytes(text), salt); }
  friend bool operator==(const SpectralShape&, const SpectralShape&) = default;
};

/// The k positions of one element, in order, repeats included.
class Positions {
 public:
  Positions(const Hash128& element, const Modulus& modulus, std::uint32_t k) : k_(k) {
    positions(element, modulus, {at_.data(), k});
  }
  const std::uint32_t* begin() const { return at_.data(); }
  const std::uint32_t* end() const { return at_.data() + k_; }

 private:
  std::array<std::uint32_t, SpectralShape::max_k> at_;
  std::uint32_t k_;
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
  /// ahead; for streams.
  void insert_all(std::span<const Hash128> elements);
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
  /// The filter that the same insertions give with `counters` counters, a divisor of ours.
  Result<SpectralFilter> fold(std::uint32_t counters) const;

  const SpectralShape& shape() const { return shape_; }
  std::uint64_t total() const { return total_; }  // occurrences inserted and not removed
  const CounterArray& counters() const { return counters_; }
  Positions positions_of(const Hash128& element) const { return {element, modulus_, shape_.k}; }
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
  Modulus modulus_;
  CounterArray counters_;
  std::uint64_t total_ = 0;
};

}  // namespace beckon::filters
