// SPDX-License-Identifier: MIT
#include "base/bech32m.h"

#include <array>
#include <optional>

namespace beckon {

namespace {

constexpr std::string_view alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::uint32_t remainder_of_valid = 0x2bc830a3;
constexpr std::size_t checksum_size = 6;

/// The remainder of the BCH code after one more value of five bits.
std::uint32_t step(std::uint32_t remainder, std::uint32_t value) {
  constexpr std::array<std::uint32_t, 5> generator{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                                   0x2a1462b3};
  std::uint32_t top = remainder >> 25;
  remainder = ((remainder & 0x1ffffff) << 5) ^ value;
  for (std::size_t i = 0; i < generator.size(); ++i) {
    if ((top >> i & 1) != 0) remainder ^= generator[i];
  }
  return remainder;
}

std::uint32_t remainder_of(std::string_view prefix, const Bytes& values) {
  std::uint32_t out = 1;
  for (char c : prefix) out = step(out, static_cast<unsigned char>(c) >> 5);
  out = step(out, 0);
  for (char c : prefix) out = step(out, static_cast<unsigned char>(c) & 31);
  for (std::uint8_t value : values) out = step(out, value);
  return out;
}

/// The same bits in groups of another size. What is left over is padded with zero bits when
/// groups become smaller; none if it is not padding when they become larger.
std::optional<Bytes> regroup(ByteView in, unsigned from, unsigned to) {
  Bytes out;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (std::uint8_t group : in) {
    bits = (bits << from | group) & 0xfffff;
    for (count += from; count >= to; count -= to)
      out.push_back(static_cast<std::uint8_t>(bits >> (count - to) & ((1U << to) - 1)));
  }
  std::uint32_t rest = bits & ((1U << count) - 1);
  if (from > to && count > 0) out.push_back(static_cast<std::uint8_t>(rest << (to - count)));
  if (from < to && (count >= from || rest != 0)) return std::nullopt;
  return out;
}

}  // namespace

std::string to_bech32m(std::string_view prefix, ByteView bytes) {
  Bytes values = *regroup(bytes, 8, 5);
  values.resize(values.size() + checksum_size);
  std::uint32_t checksum = remainder_of(prefix, values) ^ remainder_of_valid;
  for (std::size_t i = 0; i < checksum_size; ++i)
    values[values.size() - 1 - i] = static_cast<std::uint8_t>(checksum >> 5 * i & 31);
  std::string out;
  for (std::uint8_t value : values) out += alphabet[value];
  return out;
}

Result<Bytes> from_bech32m(std::string_view prefix, std::string_view text) {
  Bytes values;
  for (char c : text) {
    bool capital = c >= 'A' && c <= 'Z';
    std::size_t value = alphabet.find(capital ? static_cast<char>(c - 'A' + 'a') : c);
    if (value == std::string_view::npos) return invalid("it has a character that none can have");
    values.push_back(static_cast<std::uint8_t>(value));
  }
  if (values.size() < checksum_size) return invalid("it is too short");
  if (remainder_of(prefix, values) != remainder_of_valid)
    return invalid("a character of it is wrong, missing or too many");
  values.resize(values.size() - checksum_size);
  auto bytes = regroup(values, 5, 8);
  if (!bytes) return invalid("it ends in the middle of a byte");
  return *std::move(bytes);
}

}  // namespace beckon
