// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace beckon::filters {

/// A fixed number of bits in 64-bit words. Bits past size() in the last word are always zero, so
/// words and bytes compare and count without masks. Bit i is bit i % 64 of word i / 64, and bit
/// i % 8 of byte i / 8. Indices are the caller's duty (below size()); sizes of two operands must
/// agree.
class BitArray {
 public:
  BitArray() = default;
  explicit BitArray(std::size_t bits) : bits_(bits), words_((bits + 63) / 64) {}

  /// The bits in the order bytes() gives them. Refuses another length, or a one past the end.
  static Result<BitArray> from_bytes(std::size_t bits, ByteView bytes);

  std::size_t size() const { return bits_; }
  bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void clear();
  std::size_t count() const;  // ones
  bool none() const;

  BitArray& operator|=(const BitArray& other);
  BitArray& operator&=(const BitArray& other);
  bool is_subset_of(const BitArray& other) const;  // every one of ours is a one there

  /// The array cut into pieces of `bits` and the pieces laid over each other: bit i of the result
  /// is the OR of all bits j with j mod bits == i. `bits` must divide size().
  BitArray fold(std::size_t bits) const;

  std::span<const std::uint64_t> words() const { return words_; }
  std::span<std::uint64_t> words() { return words_; }  // keep the bits past size() zero
  std::size_t byte_count() const { return (bits_ + 7) / 8; }
  ByteView bytes() const;  // valid as long as the array lives unchanged

  friend bool operator==(const BitArray&, const BitArray&) = default;

 private:
  std::size_t bits_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace beckon::filters
