// SPDX-License-Identifier: MIT
#include "filters/folding/composite_numbers.h"

#include <algorithm>

#include "base/result.h"

namespace beckon::filters {

namespace {

constexpr std::uint32_t sieve_limit = 1U << 24;

std::vector<std::uint32_t> primes_up_to(std::uint32_t limit) {
  std::vector<bool> composite(std::size_t{limit} + 1);
  std::vector<std::uint32_t> out;
  for (std::uint64_t p = 2; p <= limit; ++p) {
    if (composite[p]) continue;
    out.push_back(static_cast<std::uint32_t>(p));
    for (std::uint64_t q = p * p; q <= limit; q += p) composite[q] = true;
  }
  return out;
}

/// Divisor counts of 0..limit.
std::vector<std::uint16_t> divisor_counts(std::uint32_t limit) {
  std::vector<std::uint16_t> out(std::size_t{limit} + 1);
  for (std::size_t d = 1; d <= limit; ++d) {
    for (std::size_t n = d; n <= limit; n += d) ++out[n];
  }
  return out;
}

std::vector<std::uint32_t> records(std::uint32_t limit, bool ties) {
  ENSURE(limit <= sieve_limit);
  std::vector<std::uint16_t> counts = divisor_counts(limit);
  std::vector<std::uint32_t> out;
  std::uint32_t most = 0;
  for (std::uint32_t n = 1; n <= limit; ++n) {
    if (counts[n] > most || (ties && counts[n] == most)) out.push_back(n);
    most = std::max<std::uint32_t>(most, counts[n]);
  }
  return out;
}

}  // namespace

std::vector<std::uint32_t> prime_factors(std::uint32_t n) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t p = 2; std::uint64_t{p} * p <= n; ++p) {
    for (; n % p == 0; n /= p) out.push_back(p);
  }
  if (n > 1) out.push_back(n);
  return out;
}

std::vector<std::uint32_t> divisors(std::uint32_t n) {
  std::vector<std::uint32_t> out{1};
  std::uint32_t last = 0;
  std::size_t before = 0;  // divisors without the present prime's newest power
  for (std::uint32_t p : prime_factors(n)) {
    std::size_t from = p == last ? before : 0;
    before = out.size();
    for (std::size_t i = from; i < before; ++i) out.push_back(out[i] * p);
    last = p;
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::uint32_t divisor_count(std::uint32_t n) {
  return static_cast<std::uint32_t>(divisors(n).size());
}

std::vector<std::uint32_t> smooth_numbers(std::uint32_t first, std::uint32_t last,
                                          std::uint32_t smooth) {
  first = std::max(first, 1U);
  if (last < first) return {};
  ENSURE(last - first <= sieve_limit);
  std::vector<std::uint32_t> rest(last - first + 1);
  for (std::uint32_t i = 0; i < rest.size(); ++i) rest[i] = first + i;
  for (std::uint64_t p : primes_up_to(std::min(smooth, sieve_limit))) {
    for (std::uint64_t power = p; power <= last; power *= p) {
      std::uint64_t start = (first + power - 1) / power * power;
      for (std::uint64_t n = start; n <= last; n += power) {
        rest[n - first] /= static_cast<std::uint32_t>(p);
      }
    }
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == 1) out.push_back(first + i);
  }
  return out;
}

std::vector<std::uint32_t> highly_composite(std::uint32_t limit) { return records(limit, false); }
std::vector<std::uint32_t> largely_composite(std::uint32_t limit) { return records(limit, true); }

}  // namespace beckon::filters
