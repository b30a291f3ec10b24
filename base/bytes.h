// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beckon {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string to_hex(ByteView bytes);
Result<Bytes> from_hex(std::string_view text);

/// Appends fields in the wire's fixed byte layout: big-endian integers, counted fields.
class ByteWriter {
 public:
  void u8(std::uint8_t v) { out_.push_back(v); }
  void u16(std::uint16_t v);
  void u32(std::uint32_t v);
  void u64(std::uint64_t v);
  void i64(std::int64_t v) { u64(static_cast<std::uint64_t>(v)); }
  void raw(ByteView bytes);
  void counted8(ByteView bytes);   // u8 length, then the bytes; the caller keeps within 255
  void counted16(ByteView bytes);  // u16 length
  void counted32(ByteView bytes);  // u32 length

  std::size_t size() const { return out_.size(); }
  const Bytes& bytes() const { return out_; }
  Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

/// Reads the same layout from bytes somebody sent. The first field that does not fit makes the
/// reader fail for good: every later read returns zero or empty, and finish() tells. So a decoder
/// reads all fields in a row and asks once. Never allocates more than the input holds.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : rest_(bytes) {}

  std::uint8_t u8();
  std::uint16_t u16();
  std::uint32_t u32();
  std::uint64_t u64();
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  ByteView raw(std::size_t count);
  ByteView counted8() { return raw(u8()); }
  ByteView counted16() { return raw(u16()); }
  ByteView counted32() { return raw(u32()); }
  template <std::size_t N>
  std::array<std::uint8_t, N> array() {
    std::array<std::uint8_t, N> out{};
    ByteView bytes = raw(N);
    for (std::size_t i = 0; i < bytes.size(); ++i) out[i] = bytes[i];
    return out;
  }

  bool ok() const { return ok_; }
  void fail(const char* field = nullptr) {  // the first failure counts; `field` is for its text
    if (ok_) bad_field_ = field;
    ok_ = false;
    rest_ = {};
  }
  std::size_t remaining() const { return rest_.size(); }
  ByteView rest() const { return rest_; }
  void skip_rest() { rest_ = {}; }
  /// Success only if nothing failed and no byte is left over.
  Result<void> finish(std::string_view what) const;

 private:
  ByteView rest_;
  bool ok_ = true;
  const char* bad_field_ = nullptr;
};

bool is_utf8(
    std::string_view text);  // strict: no overlong forms, surrogates or values past U+10FFFF

}  // namespace beckon
