// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>

#include "filters/coding/gap_table.h"
#include "filters/coding/golomb.h"
#include "filters/coding/near_gap_table.h"

namespace beckon::filters {

// The loops of gap_coder, for each instruction set and chosen at run time: they live on shifts by
// variable amounts, which plain x86-64 does three times as slowly.

/// A stretch of an array being read: bits of the input and of the array, each counted from the
/// start of the whole, which all lanes share.
struct GapLane {
  std::uint64_t at = 0;
  std::uint64_t in_end = 0;
  std::uint64_t to = 0;
  std::uint64_t end = 0;
};

/// Reads through the table, as long as no lane can come near the end of its input or output. `out`
/// is zero from where each lane stands.
void read_four(const GapTable& table, const std::uint8_t* in, std::uint8_t* out,
               std::array<GapLane, 4>& lanes);
void read_one(const GapTable& table, const std::uint8_t* in, std::uint8_t* out, GapLane& lane);
void read_four(const NearGapTable& table, const std::uint8_t* in, std::uint8_t* out,
               std::array<GapLane, 4>& lanes);
void read_one(const NearGapTable& table, const std::uint8_t* in, std::uint8_t* out, GapLane& lane);

/// The gaps of the first `bits` bits, the one up to their end included; returns the end of the
/// code.
std::uint8_t* write_gaps(const GolombTable& codes, std::span<const std::uint64_t> words,
                         std::size_t bits, std::uint8_t* to);

}  // namespace beckon::filters
