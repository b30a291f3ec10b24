// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace beckon::filters {

/// Bits per element of other ways to send a set once, when a stranger may be taken for a member
/// with chance `rate` (0 < rate < 1).
struct SummarySizes {
  double floor = 0;  // log2(1/rate): no structure needs fewer
  double plain = 0;  // Bloom's filter at its best k
  std::uint32_t plain_k = 1;
  double compressed = 0;    // two positions, entropy coded: the rival in bloomtree
  double one_position = 0;  // one position, entropy coded
  double golomb = 0;        // sorted hashes, gaps Golomb coded with a power of two
};
SummarySizes summary_sizes(double rate);

}  // namespace beckon::filters
