// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "base/hash.h"

namespace beckon::filters {

/// Makes the last eight bytes the right checksum of the rest, as a liar would.
inline void repair_checksum(Bytes& block) {
  if (block.size() < 8) return;
  ByteWriter sum;
  sum.u64(xxh3_64(ByteView(block).first(block.size() - 8)));
  std::copy(sum.bytes().begin(), sum.bytes().end(), block.end() - 8);
}

}  // namespace beckon::filters
