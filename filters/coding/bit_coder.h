// SPDX-License-Identifier: MIT
#pragma once

#include "filters/bits/bit_array.h"

namespace beckon::filters {

/// Bit arrays as bytes, close to their entropy: at most 1.01 times m H(fill) for long arrays, 1.02
/// at fill 0.02. The ones of the array are taken to lie independently of each other, which is what
/// hashing gives; the model is the count of ones, so nothing adapts and nothing depends on order.
///
/// Three forms: below fill 0.15 the gaps between ones (gap_coder.h); up to `raw_above` bytes as
/// symbols; beyond it, or when that is shorter, the bytes themselves. Above fill 1/2 the
/// zeros are coded instead. The number of bits is not written: both ends know it.
struct BitCoderOptions {
  double raw_above = 0.35;  // entropy would save less than 7 % from here on
};

Bytes encode_bits(const BitArray& bits, const BitCoderOptions& options = {});

/// `bits` is what the caller expects; takes memory and time in proportion to it, whatever the bytes
/// say. Refuses everything that encode_bits cannot have written for so many bits. The memory of
/// `spare`, an array of that length no longer needed, is used again where the form allows it: new
/// memory can cost a third of the decoding.
Result<BitArray> decode_bits(std::size_t bits, ByteView bytes, BitArray spare = {});

/// m H(ones / m), the bits an ideal coder needs.
double entropy_bits(std::size_t ones, std::size_t bits);
inline double entropy_bits(const BitArray& bits) { return entropy_bits(bits.count(), bits.size()); }

}  // namespace beckon::filters
