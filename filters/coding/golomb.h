// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "base/bytes.h"
#include "filters/bits/bits.h"

namespace beckon::filters {

/// Golomb's code with parameter g, 1 .. 2^40, in streams whose bits run from the lowest upwards
/// (filters/bits/bits.h). A number n is n / g ones, a zero, and n % g: in width-1 bits if it is
/// below `cut`, else n % g + cut in width bits, the last of them at the end.
struct Golomb {
  explicit constexpr Golomb(std::uint64_t parameter)
      : g(parameter),
        width(static_cast<unsigned>(std::bit_width(g - 1))),
        cut((std::uint64_t{1} << width) - g) {}

  std::uint64_t g;
  unsigned width;
  std::uint64_t cut;

  unsigned rest_bits(std::uint64_t rest) const { return width - (rest < cut ? 1 : 0); }
  std::uint64_t rest_code(std::uint64_t rest) const {
    if (rest < cut) return rest;
    std::uint64_t shifted = rest + cut;
    return width == 0 ? 0 : shifted >> 1 | (shifted & 1) << (width - 1);
  }

  /// The number at bit `at` of the stream, which moves on; more than `most` once it is clear that
  /// it exceeds that. What lies past the end reads as zeros, so `at` may end up there.
  std::uint64_t read(ByteView bytes, std::uint64_t& at, std::uint64_t most) const {
    std::uint64_t n = 0;
    while (true) {
      auto run = static_cast<unsigned>(std::countr_one(bits_at(bytes, at, 56)));
      n += run * g;
      at += run;
      if (n > most) return n;
      if (run < 56) break;
    }
    ++at;
    if (width == 0) return n;
    std::uint64_t rest = bits_at(bytes, at, width - 1);
    at += width - 1;
    if (rest < cut) return n + rest;
    return n + (rest << 1 | bits_at(bytes, at++, 1)) - cut;
  }

 private:
  static std::uint64_t bits_at(ByteView bytes, std::uint64_t at, unsigned count) {
    std::uint64_t from = at / 8;
    if (from + bit_padding <= bytes.size()) return load_bits(bytes.data(), at, count);
    std::array<std::uint8_t, bit_padding> last{};
    for (std::size_t i = 0; from + i < bytes.size(); ++i) last[i] = bytes[from + i];
    return load_bits(last.data(), at % 8, count);
  }
};

/// The codes of small numbers made beforehand: which of its two lengths a rest has is as random as
/// the data, and a processor that guesses it wrong half of the time takes longer than a lookup.
class GolombTable {
 public:
  explicit GolombTable(const Golomb& code) : code_(code) {
    auto size = static_cast<std::size_t>(code.g <= 512 ? 8 * code.g : 0);
    for (std::uint64_t n = 0; n < size; ++n) {
      std::uint64_t ones = n / code.g;
      std::uint64_t rest = n % code.g;
      std::uint64_t bits = low_mask(static_cast<unsigned>(ones)) | code.rest_code(rest)
                                                                       << (ones + 1);
      codes_.push_back(static_cast<std::uint32_t>(bits << 8 | (ones + 1 + code.rest_bits(rest))));
    }
  }
  const Golomb& code() const { return code_; }
  /// Enough for `count` numbers with that sum in one stream.
  std::size_t most_bytes(std::uint64_t count, std::uint64_t sum) const {
    return static_cast<std::size_t>((count * (1 + code_.width) + sum / code_.g) / 8 + 16);
  }
  bool has(std::uint64_t n) const { return n < codes_.size(); }
  std::uint64_t bits(std::uint64_t n) const { return codes_[n] >> 8; }
  unsigned length(std::uint64_t n) const { return codes_[n] & 0xff; }

 private:
  Golomb code_;
  std::vector<std::uint32_t> codes_;
};

/// Numbers one after the other from `to` on, padded with zeros to whole bytes. Writes 8 bytes at a
/// time, so as many must be free behind the end; GolombTable::most_bytes says where that can be.
class GolombWriter {
 public:
  explicit GolombWriter(std::uint8_t* to) : to_(to) {}

  void put(const GolombTable& codes, std::uint64_t n) {
    if (codes.has(n)) return append(codes.bits(n), codes.length(n));
    std::uint64_t ones = n / codes.code().g;
    std::uint64_t rest = n % codes.code().g;
    for (; ones >= 32; ones -= 32) append(low_mask(32), 32);
    append(low_mask(static_cast<unsigned>(ones)), static_cast<unsigned>(ones) + 1);
    append(codes.code().rest_code(rest), codes.code().rest_bits(rest));
  }
  std::uint8_t* end() const { return to_ + (filled_ + 7) / 8; }

 private:
  /// At most 56 bits; whole bytes leave at once.
  void append(std::uint64_t bits, unsigned count) {
    pending_ |= bits << filled_;
    filled_ += count;
    std::memcpy(to_, &pending_, 8);
    to_ += filled_ / 8;
    pending_ >>= filled_ / 8 * 8;
    filled_ %= 8;
  }

  std::uint8_t* to_;
  std::uint64_t pending_ = 0;  // the bits of the byte at to_
  unsigned filled_ = 0;        // below 8
};

}  // namespace beckon::filters
