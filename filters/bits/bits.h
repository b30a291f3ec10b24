// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace beckon::filters {

// Bit n of a stream is bit n % 8 of byte n / 8. Loads and stores touch the nine bytes from the one
// that holds the first bit, so every buffer ends in `bit_padding` spare bytes.
static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t bit_padding = 9;

constexpr std::uint64_t low_mask(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// `count` is 0..64.
inline std::uint64_t load_bits(const std::uint8_t* bytes, std::uint64_t at, unsigned count) {
  const std::uint8_t* from = bytes + at / 8;
  auto shift = static_cast<unsigned>(at % 8);
  std::uint64_t word;
  std::memcpy(&word, from, 8);
  word >>= shift;
  if (shift + count > 64) word |= std::uint64_t{from[8]} << (64 - shift);
  return word & low_mask(count);
}

/// The bits of `value` above `count` must be zero.
inline void store_bits(std::uint8_t* bytes, std::uint64_t at, std::uint64_t value, unsigned count) {
  std::uint8_t* to = bytes + at / 8;
  auto shift = static_cast<unsigned>(at % 8);
  std::uint64_t word;
  std::memcpy(&word, to, 8);
  word = (word & ~(low_mask(count) << shift)) | value << shift;
  std::memcpy(to, &word, 8);
  if (shift + count <= 64) return;
  unsigned done = 64 - shift;
  auto mask = static_cast<std::uint8_t>(low_mask(count - done));
  to[8] = static_cast<std::uint8_t>((to[8] & ~mask) | static_cast<std::uint8_t>(value >> done));
}

}  // namespace beckon::filters
