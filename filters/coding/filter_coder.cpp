// SPDX-License-Identifier: MIT
#include "filters/coding/filter_coder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "filters/bits/bit_runs.h"
#include "filters/bits/varint.h"
#include "filters/coding/symbol_coder.h"

namespace beckon::filters {

namespace {

constexpr std::uint8_t patterns_form = 3;  // after the forms of range_coder.cpp
constexpr std::uint32_t most_bits = 8;

/// How many filters have 0 .. m ones.
using Counts = std::array<std::uint64_t, most_bits + 1>;

constexpr std::uint64_t choose(std::uint64_t n, std::uint64_t k) {
  std::uint64_t out = 1;
  for (std::uint64_t i = 0; i < k; ++i) out = out * (n - i) / (i + 1);
  return out;
}

bool small(std::uint32_t m) { return m >= 2 && m <= most_bits; }

std::vector<std::uint8_t> patterns_of(const BitArray& bits, std::uint32_t m) {
  std::vector<std::uint8_t> out(bits.size() / m);
  for (std::size_t f = 0; f < out.size(); ++f) {
    out[f] = static_cast<std::uint8_t>(run_at(bits, f * m, m));
  }
  return out;
}

Counts count(std::span<const std::uint8_t> patterns) {
  Counts out{};
  for (std::uint8_t pattern : patterns) ++out[static_cast<std::size_t>(std::popcount(pattern))];
  return out;
}

SymbolModel model_of(const Counts& counts, std::uint32_t m) {
  std::array<std::uint64_t, 256> weights{};
  for (unsigned pattern = 0; pattern < 1U << m; ++pattern) {
    auto ones = static_cast<std::size_t>(std::popcount(pattern));
    std::uint64_t share = (counts[ones] << 20) / choose(m, ones);
    weights[pattern] = counts[ones] == 0 ? 0 : std::max<std::uint64_t>(1, share);
  }
  return SymbolModel(std::span(weights).first(std::size_t{1} << m));
}

}  // namespace

Bytes encode_filters(const BitArray& bits, std::uint32_t m) {
  Bytes plain = encode_bits(bits, sent_bits);
  if (!small(m) || bits.size() == 0) return plain;
  std::vector<std::uint8_t> patterns = patterns_of(bits, m);
  Counts counts = count(patterns);
  Bytes out{patterns_form};
  for (std::uint32_t ones = 0; ones < m; ++ones) put_varint(out, counts[ones]);
  Bytes symbols = encode_symbols(model_of(counts, m), patterns);
  out.insert(out.end(), symbols.begin(), symbols.end());
  return out.size() < plain.size() ? out : plain;
}

Result<BitArray> decode_filters(std::size_t bits, std::uint32_t m, ByteView bytes) {
  if (bytes.empty() || bytes[0] != patterns_form) return decode_bits(bits, bytes);
  if (!small(m) || bits == 0) return invalid("coded filters have another form");
  std::uint64_t filters = bits / m;
  ByteReader in(bytes.subspan(1));
  Counts counts{};
  std::uint64_t sum = 0;
  for (std::uint32_t ones = 0; ones < m; ++ones) {
    counts[ones] = take_varint(in);
    if (counts[ones] > filters - sum) return invalid("coded filters are more than there can be");
    sum += counts[ones];
  }
  if (!in.ok()) return invalid("coded filters end too early");
  counts[m] = filters - sum;
  std::vector<std::uint8_t> patterns(filters);
  auto decoded = decode_symbols(model_of(counts, m), in.rest(), patterns);
  if (!decoded) return decoded.error();
  if (count(patterns) != counts) return invalid("coded filters have other counts of ones");
  BitArray out(bits);
  for (std::size_t f = 0; f < filters; ++f) or_run(out, f * m, patterns[f], m);
  return out;
}

double filter_entropy_bits(const BitArray& bits, std::uint32_t m) {
  double plain = entropy_bits(bits);
  if (!small(m)) return plain;
  Counts counts = count(patterns_of(bits, m));
  auto filters = static_cast<double>(bits.size() / m);
  double out = 0;
  for (std::uint32_t ones = 0; ones <= m; ++ones) {
    if (counts[ones] == 0) continue;
    auto n = static_cast<double>(counts[ones]);
    out += n * std::log2(filters * static_cast<double>(choose(m, ones)) / n);
  }
  return std::min(plain, out);
}

}  // namespace beckon::filters
