// SPDX-License-Identifier: MIT
#pragma once

#include "filters/coding/bit_coder.h"

namespace beckon::filters {

// Small filters laid end to end, as a tree's level is sent. Below a one there is at least one
// element and mostly just one, so the bits of a filter are far from independent: of 8 bits exactly
// one is set most of the time, which takes 3 bits to say and 4.3 bit by bit. So filters of 2 to 8
// bits are symbols, and the model is how many have 0, 1, ... ones; patterns with as many ones are
// equally likely. Other lengths, and levels where it saves nothing, go bit by bit.

/// Where bytes travel they are dearer than the time to code them, so bits are coded nearly to the
/// half.
inline constexpr BitCoderOptions sent_bits{.raw_above = 0.45};

/// `bits` is a multiple of m long.
Bytes encode_filters(const BitArray& bits, std::uint32_t m);
/// As strict and as bounded as decode_bits.
Result<BitArray> decode_filters(std::size_t bits, std::uint32_t m, ByteView bytes);

/// What an ideal coder needs for the better of the two ways.
double filter_entropy_bits(const BitArray& bits, std::uint32_t m);

}  // namespace beckon::filters
