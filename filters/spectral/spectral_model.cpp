// SPDX-License-Identifier: MIT
#include "filters/spectral/spectral_model.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace beckon::filters {

double bloom_error(double n, double m, double k) { return std::pow(-std::expm1(-k * n / m), k); }

double RecurringModel::error(double secondary) const {
  double second = std::pow(-std::expm1(-secondary_gamma(secondary)), k);
  return recurring * error_if_recurring + (1 - recurring) * second;
}

double relative_error_bound(double i, double n, double k, double z, double t) {
  return k * std::pow(i / ((n - k) * std::pow(t, 1 / z)), k);
}

double expected_relative_error(std::uint32_t i, std::uint32_t n, std::uint32_t k, double z) {
  // P(j), the chance that the rarest of the k that step over i is the j-th most frequent, is
  // C(j-1, k-1) / C(n-1, k); the ratio of successive ones avoids the factorials.
  double p = 1;
  for (std::uint32_t a = 0; a < k; ++a) p *= static_cast<double>(k - a) / (n - 1 - a);
  double sum = 0;
  for (std::uint32_t j = k; j <= n; ++j) {
    if (j != i) sum += p * std::pow(static_cast<double>(i) / j, z);
    p *= static_cast<double>(j) / (j - k + 1);
  }
  return sum;
}

double iceberg_error(std::span<const std::uint64_t> frequencies, std::uint64_t t, double m,
                     double k) {
  std::vector<std::uint64_t> sorted(frequencies.begin(), frequencies.end());
  std::sort(sorted.begin(), sorted.end());
  auto n = static_cast<double>(sorted.size());
  double sum = 0;
  for (std::uint64_t f : sorted) {
    if (f >= t) break;
    auto heavy = std::lower_bound(sorted.begin(), sorted.end(), t - f);
    sum += bloom_error(static_cast<double>(sorted.end() - heavy), m, k);
  }
  return n == 0 ? 0 : sum / n;
}

}  // namespace beckon::filters
