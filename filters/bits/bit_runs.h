// SPDX-License-Identifier: MIT
#pragma once

#include "filters/bits/bit_array.h"
#include "filters/bits/bits.h"

namespace beckon::filters {

// Stretches of bits inside a BitArray, up to 64 at a time. Indices are the caller's duty.

inline std::uint64_t run_at(const BitArray& bits, std::uint64_t at, unsigned count) {
  auto shift = static_cast<unsigned>(at % 64);
  std::uint64_t out = bits.words()[at / 64] >> shift;
  if (shift + count > 64) out |= bits.words()[at / 64 + 1] << (64 - shift);
  return out & low_mask(count);
}

/// ORs `value`, which has no bits above `count`, into the array.
inline void or_run(BitArray& bits, std::uint64_t at, std::uint64_t value, unsigned count) {
  auto shift = static_cast<unsigned>(at % 64);
  bits.words()[at / 64] |= value << shift;
  if (shift + count > 64) bits.words()[at / 64 + 1] |= value >> (64 - shift);
}

/// Calls piece(offset, count) for pieces of at most 64 that make up `count` bits.
template <typename Piece>
void each_piece(std::uint64_t count, Piece piece) {
  for (std::uint64_t done = 0; done < count; done += 64) {
    piece(done, static_cast<unsigned>(count - done < 64 ? count - done : 64));
  }
}

/// The target must be zero there.
inline void copy_run(const BitArray& from, std::uint64_t from_at, BitArray& to, std::uint64_t to_at,
                     std::uint64_t count) {
  each_piece(count, [&](std::uint64_t done, unsigned piece) {
    or_run(to, to_at + done, run_at(from, from_at + done, piece), piece);
  });
}

inline bool empty_run(const BitArray& bits, std::uint64_t at, std::uint64_t count) {
  bool empty = true;
  each_piece(count, [&](std::uint64_t done, unsigned piece) {
    empty = empty && run_at(bits, at + done, piece) == 0;
  });
  return empty;
}

inline void clear_run(BitArray& bits, std::uint64_t at, std::uint64_t count) {
  each_piece(count, [&](std::uint64_t done, unsigned piece) {
    auto shift = static_cast<unsigned>((at + done) % 64);
    bits.words()[(at + done) / 64] &= ~(low_mask(piece) << shift);
    if (shift + piece > 64)
      bits.words()[(at + done) / 64 + 1] &= ~(low_mask(piece) >> (64 - shift));
  });
}

}  // namespace beckon::filters
