// SPDX-License-Identifier: MIT
#include "filters/bits/bit_array.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace beckon::filters {

// bytes() shows the words as they lie in memory.
static_assert(std::endian::native == std::endian::little);

Result<BitArray> BitArray::from_bytes(std::size_t bits, ByteView bytes) {
  BitArray out(bits);
  if (bytes.size() != out.byte_count()) {
    return invalid("a bit array of " + std::to_string(bits) + " bits has " +
                   std::to_string(out.byte_count()) + " bytes, got " +
                   std::to_string(bytes.size()));
  }
  if (bits % 8 != 0 && (bytes.back() >> (bits % 8)) != 0) {
    return invalid("a bit past the end of the bit array is set");
  }
  if (!bytes.empty()) std::memcpy(out.words_.data(), bytes.data(), bytes.size());
  return out;
}

void BitArray::clear() { std::fill(words_.begin(), words_.end(), 0); }

bool BitArray::none() const {
  return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
}

BitArray& BitArray::operator|=(const BitArray& other) {
  ENSURE(bits_ == other.bits_);
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

BitArray& BitArray::operator&=(const BitArray& other) {
  ENSURE(bits_ == other.bits_);
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

bool BitArray::is_subset_of(const BitArray& other) const {
  ENSURE(bits_ == other.bits_);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & ~other.words_[i]) != 0) return false;
  }
  return true;
}

BitArray BitArray::fold(std::size_t bits) const {
  ENSURE(bits > 0 && bits_ % bits == 0);
  BitArray out(bits);
  if (bits % 64 == 0) {
    for (std::size_t i = 0; i < words_.size(); ++i) out.words_[i % out.words_.size()] |= words_[i];
    return out;
  }
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
      out.set((i * 64 + static_cast<std::size_t>(std::countr_zero(word))) % bits);
    }
  }
  return out;
}

ByteView BitArray::bytes() const {
  return {reinterpret_cast<const std::uint8_t*>(words_.data()), byte_count()};
}

}  // namespace beckon::filters
