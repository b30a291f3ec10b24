// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace beckon::filters {

// Sizes that fold well are sizes with many divisors (folding-filters IV).

std::vector<std::uint32_t> divisors(std::uint32_t n);  // ascending; n >= 1
std::uint32_t divisor_count(std::uint32_t n);
std::vector<std::uint32_t> prime_factors(std::uint32_t n);  // ascending, repeated; empty for 1

/// The numbers of first..last whose prime factors are all at most `smooth`, by a sieve over that
/// interval alone (IV-B): each prime power is struck from its multiples, and a number is smooth if
/// nothing is left of it. last - first is at most 2^24.
std::vector<std::uint32_t> smooth_numbers(std::uint32_t first, std::uint32_t last,
                                          std::uint32_t smooth);

/// Numbers up to `limit` with more divisors than any smaller one (eq. 9); at least as many (eq.
/// 10). limit is at most 2^24.
std::vector<std::uint32_t> highly_composite(std::uint32_t limit);
std::vector<std::uint32_t> largely_composite(std::uint32_t limit);

}  // namespace beckon::filters
