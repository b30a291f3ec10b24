// SPDX-License-Identifier: MIT
#pragma once

#include "filters/bits/bit_array.h"

namespace beckon::filters {

// The ones of a sparse bit array, told by the zeros before each, in Golomb's code: the quotient by
// g in unary, the rest in binary, with g such that a quotient of zero is as likely as all others
// together. For gaps of independent ones that is within 0.03 bits of the entropy of each, 0.4 to
// 0.9 % for fills up to 0.15. Long arrays are cut into four stretches that are read side by side. A
// stretch ends with the gap up to its end, as if a one stood behind it, so every stretch of bits
// has one coded form only.

void encode_gaps(Bytes& out, const BitArray& bits, std::size_t ones);

/// `ones` is at least 1 and at most bits / 2. Refuses all that encode_gaps cannot have written.
/// Uses the memory of `spare` if it is as long.
Result<BitArray> decode_gaps(std::size_t bits, std::size_t ones, ByteReader& in,
                             BitArray spare = {});

/// Golomb's parameter: about ln 2 times the mean gap. Whole numbers only, so that both ends of a
/// wire agree.
std::uint64_t golomb_parameter(std::size_t bits, std::size_t ones);

}  // namespace beckon::filters
