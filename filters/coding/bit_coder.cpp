// SPDX-License-Identifier: MIT
#include "filters/coding/bit_coder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filters/bits/bits.h"
#include "filters/bits/varint.h"
#include "filters/coding/gap_coder.h"
#include "filters/coding/symbol_coder.h"

namespace beckon::filters {

namespace {

enum class Form : std::uint8_t { raw = 0, bytes = 2, gaps = 4 };  // 3: filter_coder.cpp
constexpr std::uint8_t inverted = 0x80;
constexpr std::uint64_t one = std::uint64_t{1} << 32;  // probabilities are parts of 2^32
constexpr double gaps_below = 0.15;

BitArray inverse(const BitArray& bits) {
  BitArray out(bits.size());
  for (std::size_t i = 0; i < out.words().size(); ++i) out.words()[i] = ~bits.words()[i];
  if (bits.size() % 64 != 0) out.words().back() &= low_mask(bits.size() % 64);
  return out;
}

SymbolModel byte_model(std::size_t ones, std::size_t bits) {
  std::uint64_t hit = ones * one / bits;
  std::array<std::uint64_t, 9> by_count{};
  for (unsigned count = 0; count <= 8; ++count) {
    std::uint64_t weight = one;
    for (unsigned i = 0; i < 8; ++i) weight = weight * (i < count ? hit : one - hit) >> 32;
    by_count[count] = weight;
  }
  std::array<std::uint64_t, 256> weights{};
  for (unsigned s = 0; s < 256; ++s) weights[s] = by_count[static_cast<unsigned>(std::popcount(s))];
  return SymbolModel(weights);
}

Result<BitArray> decode_bytes(std::size_t bits, std::size_t ones, ByteReader& in) {
  if (ones == 0) return invalid("coded bits without ones have another form");
  Bytes bytes((bits + 7) / 8);
  auto decoded = decode_symbols(byte_model(ones, bits), in.rest(), bytes);
  if (!decoded) return decoded.error();
  auto out = BitArray::from_bytes(bits, bytes);
  if (out && out->count() != ones) return invalid("coded bits have another count of ones");
  return out;
}

Bytes coded(const BitArray& bits, std::size_t ones, std::uint8_t flag) {
  bool gaps =
      ones == 0 || static_cast<double>(ones) < gaps_below * static_cast<double>(bits.size());
  Bytes out{
      static_cast<std::uint8_t>(static_cast<std::uint8_t>(gaps ? Form::gaps : Form::bytes) | flag)};
  put_varint(out, ones);
  if (gaps) {
    if (ones > 0) encode_gaps(out, bits, ones);
  } else {
    Bytes symbols = encode_symbols(byte_model(ones, bits.size()), bits.bytes());
    out.insert(out.end(), symbols.begin(), symbols.end());
  }
  return out;
}

}  // namespace

Bytes encode_bits(const BitArray& bits, const BitCoderOptions& options) {
  std::size_t ones = bits.count();
  bool invert = ones > bits.size() / 2;
  if (invert) ones = bits.size() - ones;
  if (static_cast<double>(ones) <= options.raw_above * static_cast<double>(bits.size())) {
    Bytes out = invert ? coded(inverse(bits), ones, inverted) : coded(bits, ones, 0);
    if (out.size() <= bits.byte_count()) return out;
  }
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(Form::raw));
  out.raw(bits.bytes());
  return out.take();
}

Result<BitArray> decode_bits(std::size_t bits, ByteView bytes, BitArray spare) {
  ByteReader in(bytes);
  std::uint8_t head = in.u8();
  if (!in.ok()) return invalid("coded bits are missing");
  if (head == static_cast<std::uint8_t>(Form::raw)) return BitArray::from_bytes(bits, in.rest());
  std::uint64_t ones = take_varint(in);
  if (!in.ok() || ones > bits / 2) return invalid("coded bits have an impossible count of ones");
  Result<BitArray> out = invalid("coded bits of a form we do not know");
  auto form = static_cast<Form>(head & ~inverted);
  if (form == Form::gaps)
    out = ones == 0 ? Result<BitArray>(BitArray(bits))
                    : decode_gaps(bits, ones, in, std::move(spare));
  if (form == Form::bytes) out = decode_bytes(bits, ones, in);
  if (out && ones == 0 && in.remaining() > 0) return invalid("coded bits have bytes left over");
  if (out && (head & inverted) != 0) return inverse(*out);
  return out;
}

double entropy_bits(std::size_t ones, std::size_t bits) {
  if (ones == 0 || ones >= bits) return 0;
  double p = static_cast<double>(ones) / static_cast<double>(bits);
  return -static_cast<double>(bits) * (p * std::log2(p) + (1 - p) * std::log2(1 - p));
}

}  // namespace beckon::filters
