// SPDX-License-Identifier: MIT
#include "chord/id.h"

#include <algorithm>

namespace beckon::chord {

Id Id::of_digest(const Digest& digest) {
  Id out;
  std::copy_n(digest.begin(), size, out.bytes.begin());
  return out;
}

Result<Id> Id::from_hex(std::string_view text) {
  if (text.size() != 2 * size) return invalid("an id has 40 hexadecimal digits");
  auto bytes = beckon::from_hex(text);
  if (!bytes) return bytes.error();
  Id out;
  std::copy(bytes->begin(), bytes->end(), out.bytes.begin());
  return out;
}

Id Id::plus_power(int exponent) const {
  ENSURE(exponent >= 0 && exponent < static_cast<int>(8 * size));
  Id out = *this;
  unsigned carry = 1U << (exponent % 8);
  for (int i = static_cast<int>(size) - 1 - exponent / 8; i >= 0 && carry != 0; --i) {
    unsigned sum = out.bytes[static_cast<std::size_t>(i)] + carry;
    out.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(sum);
    carry = sum >> 8;
  }
  return out;
}

Id operator-(const Id& a, const Id& b) {
  Id out;
  int borrow = 0;
  for (std::size_t i = Id::size; i-- > 0;) {
    int difference = int{a.bytes[i]} - int{b.bytes[i]} - borrow;
    borrow = difference < 0 ? 1 : 0;
    out.bytes[i] = static_cast<std::uint8_t>(difference + 256 * borrow);
  }
  return out;
}

bool Arc::contains(const Id& x) const {
  if (after == upto) return true;
  return after < upto ? after < x && x <= upto : after < x || x <= upto;
}

}  // namespace beckon::chord
