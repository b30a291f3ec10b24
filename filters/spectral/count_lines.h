// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "filters/spectral/counter_array.h"
#include "filters/spectral/spectral.h"

namespace beckon::filters {

// Counting many elements in a filter whose blocks are lines of 64 counters. The places of an
// element become bits, and the bits are added to its line by a vector or two instead of a place at
// a time. One vector full of elements is hashed while the lines of the one before are fetched and
// those before that counted.

/// Counts each element once, as many as fill whole vectors, and returns how many those were; the
/// last few are left. The placement must be by line.
std::size_t count_lines(const Placement& placement, std::span<const Hash128> elements,
                        CounterArray& counters);
/// The same for elements still to be hashed, by SpectralShape::element() with this salt.
std::size_t count_lines(const Placement& placement, std::span<const std::string_view> texts,
                        std::uint64_t salt, CounterArray& counters);

}  // namespace beckon::filters
