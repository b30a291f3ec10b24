// SPDX-License-Identifier: MIT
#include "base/bytes.h"

#include <fmt/core.h>

namespace beckon {

std::string to_hex(ByteView bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (std::uint8_t b : bytes) {
    out.push_back(digits[b >> 4]);
    out.push_back(digits[b & 15]);
  }
  return out;
}

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<Bytes> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return invalid("hexadecimal text needs an even number of digits");
  Bytes out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    int high = hex_value(text[i]);
    int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return invalid("hexadecimal text has a character that is no digit");
    out.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return out;
}

void ByteWriter::u16(std::uint16_t v) {
  u8(static_cast<std::uint8_t>(v >> 8));
  u8(static_cast<std::uint8_t>(v));
}

void ByteWriter::u32(std::uint32_t v) {
  u16(static_cast<std::uint16_t>(v >> 16));
  u16(static_cast<std::uint16_t>(v));
}

void ByteWriter::u64(std::uint64_t v) {
  u32(static_cast<std::uint32_t>(v >> 32));
  u32(static_cast<std::uint32_t>(v));
}

void ByteWriter::raw(ByteView bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }

void ByteWriter::counted8(ByteView bytes) {
  ENSURE(bytes.size() <= 0xff);
  u8(static_cast<std::uint8_t>(bytes.size()));
  raw(bytes);
}

void ByteWriter::counted16(ByteView bytes) {
  ENSURE(bytes.size() <= 0xffff);
  u16(static_cast<std::uint16_t>(bytes.size()));
  raw(bytes);
}

void ByteWriter::counted32(ByteView bytes) {
  ENSURE(bytes.size() <= 0xffffffff);
  u32(static_cast<std::uint32_t>(bytes.size()));
  raw(bytes);
}

ByteView ByteReader::raw(std::size_t count) {
  if (count > rest_.size()) {
    fail();
    return {};
  }
  ByteView out = rest_.first(count);
  rest_ = rest_.subspan(count);
  return out;
}

namespace {

template <typename T>
T big_endian(ByteView bytes) {
  T v = 0;
  for (std::uint8_t b : bytes) v = static_cast<T>(v << 8 | b);
  return v;
}

}  // namespace

std::uint8_t ByteReader::u8() {
  ByteView b = raw(1);
  return b.empty() ? std::uint8_t{0} : b[0];
}
std::uint16_t ByteReader::u16() { return big_endian<std::uint16_t>(raw(2)); }
std::uint32_t ByteReader::u32() { return big_endian<std::uint32_t>(raw(4)); }
std::uint64_t ByteReader::u64() { return big_endian<std::uint64_t>(raw(8)); }

Result<void> ByteReader::finish(std::string_view what) const {
  if (bad_field_) return invalid(fmt::format("{}: bad {}", what, bad_field_));
  if (!ok_) return invalid(fmt::format("{} is cut short or malformed", what));
  if (!rest_.empty()) return invalid(fmt::format("{} has {} bytes too many", what, rest_.size()));
  return {};
}

namespace {

/// Length of the UTF-8 sequence that a lead byte opens, and the smallest code point it may carry.
struct Lead {
  int length;
  std::uint32_t bits;
  std::uint32_t smallest;
};

Lead lead_of(std::uint8_t c) {
  if (c < 0x80) return {1, c, 0};
  if (c >= 0xc2 && c < 0xe0) return {2, c & 0x1fU, 0x80};
  if (c >= 0xe0 && c < 0xf0) return {3, c & 0x0fU, 0x800};
  if (c >= 0xf0 && c < 0xf5) return {4, c & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    Lead lead = lead_of(static_cast<std::uint8_t>(text[i]));
    auto length = static_cast<std::size_t>(lead.length);
    if (length == 0 || length > text.size() - i) return false;
    std::uint32_t point = lead.bits;
    for (std::size_t j = 1; j < length; ++j) {
      auto c = static_cast<std::uint8_t>(text[i + j]);
      if ((c & 0xc0) != 0x80) return false;
      point = point << 6 | (c & 0x3fU);
    }
    if (point < lead.smallest || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
      return false;
    i += length;
  }
  return true;
}

}  // namespace beckon
