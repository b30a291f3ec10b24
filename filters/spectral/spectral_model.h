// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

namespace beckon::filters {

// What the paper says the errors of spectral filters are (spectral-filters 2.1-2.3, 3.3, 5.2).

/// Probability of a Bloom error: all k counters of an element are stepped over by the other n.
double bloom_error(double n, double m, double k);

/// Table 3.1: what a filter of n elements with recurring minimum errs, from the measured share of
/// recurring minima and of errors among them, and `secondary` counters for the rest.
struct RecurringModel {
  double n = 0;
  double k = 5;
  double recurring = 0;           // P(R)
  double error_if_recurring = 0;  // P(E | R)

  double secondary_gamma(double secondary) const { return n * (1 - recurring) * k / secondary; }
  double error(double secondary) const;
};

/// Lemma 2: given a Bloom error, the probability that the relative error of the i-th most frequent
/// of n elements of a Zipfian multiset of skew z exceeds t. A bound, so it may pass 1.
double relative_error_bound(double i, double n, double k, double z, double t);

/// Equation 2.1: expected relative error of the i-th most frequent element, given a Bloom error.
double expected_relative_error(std::uint32_t i, std::uint32_t n, std::uint32_t k, double z);

/// Section 5.2: share of elements that pass threshold t although they are less frequent, for the
/// given frequencies of n distinct elements.
double iceberg_error(std::span<const std::uint64_t> frequencies, std::uint64_t t, double m,
                     double k);

}  // namespace beckon::filters
