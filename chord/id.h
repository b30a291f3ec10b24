// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/fields.h"
#include "base/hash.h"

namespace beckon::chord {

/// A place on the ring: 160-bit unsigned, big-endian, arithmetic modulo 2^160. Peers and keys share
/// this one space.
struct Id {
  static constexpr std::size_t size = 20;
  std::array<std::uint8_t, size> bytes{};
  static constexpr Form form = exact("id");
  static void fields(auto& f, auto& m) { f("bytes", m.bytes); }

  static Id of_digest(const Digest& digest);          // its first 20 bytes
  static Result<Id> from_hex(std::string_view text);  // exactly 40 digits
  std::string hex() const { return to_hex(bytes); }
  std::string brief() const { return hex().substr(0, 8); }  // for people; not unique

  Id plus_power(int exponent) const;              // this + 2^exponent, 0 <= exponent < 160
  friend Id operator-(const Id& a, const Id& b);  // clockwise distance from b to a
  // Ids nearly always differ in their first 8 bytes, and every table of the ring is ordered by
  // them.
  friend bool operator==(const Id& a, const Id& b) {
    return a.prefix() == b.prefix() && a.bytes == b.bytes;
  }
  friend std::strong_ordering operator<=>(const Id& a, const Id& b) {
    auto first = a.prefix() <=> b.prefix();
    return first != 0 ? first : a.bytes <=> b.bytes;
  }

 private:
  std::uint64_t prefix() const {  // the first 8 bytes, in the order of the whole
    std::uint64_t out;
    std::memcpy(&out, bytes.data(), sizeof out);
    return std::endian::native == std::endian::little ? __builtin_bswap64(out) : out;
  }
};

/// The stretch of the ring clockwise from `after`, exclusive, to `upto`, inclusive. When both ends
/// are the same place the arc is the whole ring: what a peer alone is responsible for.
struct Arc {
  Id after{};
  Id upto{};
  bool contains(const Id& x) const;
  bool contains_inside(const Id& x) const { return x != upto && contains(x); }  // both ends open
  friend bool operator==(const Arc&, const Arc&) = default;
};

}  // namespace beckon::chord
