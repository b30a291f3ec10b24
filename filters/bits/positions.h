// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"

namespace beckon::filters {

// From an element of a profile to bit positions. Everything here is frozen: published filters and
// the predicates sent to them must agree for as long as an overlay lives (golden values in the
// tests).
//
// An element seed is 128 bits. Text hashes (overlay salt, attribute, value). Numbers go in two
// steps, so that a predicate can travel as (attribute seed, lo, hi) without the name: an 8-byte
// attribute seed, then a seed for each kind and group. A seed expands into independent 32-bit
// words, and a position is word mod m; hence folding a filter to m' | m equals hashing into m' bits
// at once.

enum class Kind : std::uint8_t { text = 1, point = 2, range = 3 };

/// What a numeric attribute is called by in predicates.
enum class AttributeSeed : std::uint64_t {};

Hash128 text_seed(ByteView salt, std::string_view attribute, std::string_view value);
AttributeSeed attribute_seed(ByteView salt, std::string_view attribute);

/// The seed of one group of a numeric attribute; `kind` is point or range. With group size 1 a
/// point's group is the value minus the scope's minimum (GoLayout decides).
Hash128 group_seed(AttributeSeed attribute, Kind kind, std::uint64_t group);

/// Word j of the expansion of a seed: a keyed permutation of the counter, one third of the seed in
/// each round. Independent words, because h1 + j * h2 costs up to 50 times the model's false
/// positives in small filters with large k (docs/filters.md).
constexpr std::uint32_t word(const Hash128& seed, std::uint32_t j) {
  std::uint32_t x = static_cast<std::uint32_t>(seed.low) + j * 0x9e3779b9U;
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x ^= static_cast<std::uint32_t>(seed.low >> 32);
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  x += static_cast<std::uint32_t>(seed.high);
  return x ^ (x >> 16) ^ static_cast<std::uint32_t>(seed.high >> 32);
}

/// word mod m without a division: exact for every 32-bit word. m is 2 .. 2^31.
class Modulus {
 public:
  explicit constexpr Modulus(std::uint32_t m)
      : m_(m), inverse_(static_cast<std::uint32_t>((std::uint64_t{1} << 32) / m)) {}

  constexpr std::uint32_t value() const { return m_; }
  constexpr std::uint32_t inverse() const { return inverse_; }  // floor(2^32 / m)
  constexpr std::uint32_t of(std::uint32_t word) const {
    // The quotient is right or one too small, as word * (2^32/m - inverse) < 2^32.
    auto quotient = static_cast<std::uint32_t>((std::uint64_t{word} * inverse_) >> 32);
    std::uint32_t rest = word - quotient * m_;
    return rest >= m_ ? rest - m_ : rest;
  }

 private:
  std::uint32_t m_;
  std::uint32_t inverse_;
};

/// Positions 0 .. out.size()-1 of one seed, in order.
void positions(const Hash128& seed, const Modulus& m, std::span<std::uint32_t> out);

/// Sets positions 0 .. k-1 of every seed in the bits (m of them, 64 a word), many at a time where
/// the machine can (set_positions.cpp); the second is the same one by one.
void set_positions(std::span<const Hash128> seeds, std::uint32_t k, const Modulus& m,
                   std::span<std::uint64_t> bits);
void set_each_position(std::span<const Hash128> seeds, std::uint32_t k, const Modulus& m,
                       std::span<std::uint64_t> bits);

/// Positions of consecutive groups of a numeric attribute, the first s words of each.
void group_positions(AttributeSeed attribute, Kind kind, std::uint64_t first, std::uint32_t s,
                     const Modulus& m, std::span<std::uint32_t> out);

}  // namespace beckon::filters
