// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "base/bytes.h"
#include "chord/id.h"

namespace beckon::test {

inline chord::Id id_of(std::uint8_t byte) {
  chord::Id out;
  out.bytes.fill(byte);
  return out;
}

inline std::string repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

/// Such an id in hexadecimal digits.
inline std::string id_hex(std::string_view byte) { return repeat(byte, chord::Id::size); }

/// Round trip, golden bytes, every shorter prefix refused, a byte more passed over or
/// refused as the form says.
template <typename Decode>
void check_codec(const Bytes& bytes, const std::string& golden, Decode decode) {
  CHECK(to_hex(bytes) == golden);
  auto whole = decode(bytes);
  REQUIRE(whole);
  CHECK(encode(*whole) == bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(!decode(ByteView(bytes).first(size)));
  }
  Bytes longer = bytes;
  longer.push_back(0);
  auto read = decode(longer);
  constexpr bool grows = std::remove_cvref_t<decltype(*whole)>::form.grows;
  REQUIRE(read.has_value() == grows);
  if (read) CHECK(encode(*read) == bytes);
}

}  // namespace beckon::test
