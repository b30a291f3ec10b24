// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace beckon::filters {

/// The largest count anything here stores. A counter that reaches it stays there: what was added
/// beyond it is not known.
inline constexpr std::uint64_t max_count = (std::uint64_t{1} << 63) - 1;

inline std::uint64_t count_up(std::uint64_t old, std::uint64_t by) {
  return by > max_count - std::min(old, max_count) ? max_count : old + by;
}
inline std::uint64_t count_down(std::uint64_t old, std::uint64_t by) {
  return old >= max_count ? max_count : old - std::min(old, by);
}

/// Appends bits, first bit lowest. bytes() ends in the padding that load_bits wants.
class BitWriter {
 public:
  void put(std::uint64_t value, unsigned count);  // count 0..64; no bits of value above count
  std::uint64_t size() const { return size_; }
  Bytes take();

 private:
  Bytes bytes_;
  std::uint64_t size_ = 0;
};

/// Reads bits that somebody sent; past the end it reads zeros and is no longer ok().
class BitReader {
 public:
  /// `bits` of the stream at `bytes`, which has bit_padding bytes more than they need.
  BitReader(const std::uint8_t* bytes, std::uint64_t bits, std::uint64_t at = 0)
      : bytes_(bytes), bits_(bits), at_(at) {}

  std::uint64_t get(unsigned count);  // count 0..64
  unsigned zeros(unsigned limit);     // skips zeros and the one after them; fails beyond `limit`
  bool ok() const { return ok_; }
  std::uint64_t at() const { return at_; }

 private:
  const std::uint8_t* bytes_;
  std::uint64_t bits_;
  std::uint64_t at_;
  bool ok_ = true;
};

/// A prefix-free code for counts (spectral-filters 4.5). Without steps it is the Elias code of
/// count + 1. With steps of widths w1, w2, ... the first 2^w1 counts are a 0 and w1 bits, the next
/// 2^w2 a 10 and w2 bits, and so on; what is larger follows an all-one prefix in the Elias code.
/// Widths (0, 0) are the paper's example: 0, 10, 11 + Elias.
class CounterCode {
 public:
  static constexpr std::size_t max_steps = 4;
  static constexpr unsigned max_width = 15;

  static CounterCode elias() { return CounterCode({}); }
  static Result<CounterCode> steps(std::vector<std::uint8_t> widths);

  void write(BitWriter& out, std::uint64_t count) const;  // count up to max_count
  std::optional<std::uint64_t> read(BitReader& in) const;
  unsigned bits(std::uint64_t count) const;
  const std::vector<std::uint8_t>& widths() const { return widths_; }
  std::string name() const;  // "elias", "steps 0,0"

 private:
  explicit CounterCode(std::vector<std::uint8_t> widths) : widths_(std::move(widths)) {}

  std::vector<std::uint8_t> widths_;
};

}  // namespace beckon::filters
