// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

namespace beckon::filters {

// Numbers in as few bytes as they need, seven bits in each, lowest first.

inline void put_varint(Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

/// Fails the reader on more than 63 bits and on a longer form than needed.
inline std::uint64_t take_varint(ByteReader& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    std::uint8_t byte = in.u8();
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      if (byte == 0 && shift > 0) in.fail();  // a longer form than needed
      return value;
    }
  }
  in.fail();
  return 0;
}

}  // namespace beckon::filters
