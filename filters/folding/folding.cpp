// SPDX-License-Identifier: MIT
#include "filters/folding/folding.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "filters/folding/composite_numbers.h"

namespace beckon::filters {

namespace {

/// The real size that has exactly this rate.
double size_for(double rate, double n, double k) {
  double per_position = std::log1p(-std::pow(rate, 1 / k)) / (k * n);  // ln(1 - 1/m)
  return -1 / std::expm1(per_position);
}

std::uint32_t clamped(double size) {
  return static_cast<std::uint32_t>(
      std::clamp(size, 0.0, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
}

}  // namespace

double false_positive_rate(double m, double n, double k) {
  if (n <= 0) return 0;
  return std::pow(-std::expm1(k * n * std::log1p(-1 / m)), k);
}

SizeInterval sizes_for(const RateInterval& rates, double n, double k) {
  if (n <= 0) return {.least = 1, .most = std::numeric_limits<std::uint32_t>::max()};
  return {.least = clamped(std::ceil(size_for(rates.hi, n, k))),
          .most = clamped(std::floor(size_for(rates.lo, n, k)))};
}

FoldPlan plan_fold(std::uint32_t size, double n, double k, const RateInterval& rates) {
  FoldPlan plan;
  plan.wanted = sizes_for(rates, n, k);
  auto fold_to = [&](std::uint32_t to) {
    return Fold{.size = to, .factor = size / to, .rate = false_positive_rate(to, n, k)};
  };
  plan.chosen = fold_to(size);
  constexpr std::uint32_t smallest = 8;  // below, a filter is not one
  for (std::uint32_t to : divisors(size)) {
    if (to < smallest || to < plan.wanted.least) continue;
    if (plan.chosen.size > to) plan.chosen = fold_to(to);
    if (to <= plan.wanted.most) plan.admissible.push_back(fold_to(to));
  }
  plan.within = !plan.admissible.empty();
  return plan;
}

std::vector<SizeChoice> plan_original(const SizeInterval& sizes, std::uint32_t smooth,
                                      std::size_t count) {
  std::vector<SizeChoice> out;
  for (std::uint32_t size : smooth_numbers(sizes.least, sizes.most, smooth)) {
    std::vector<std::uint32_t> primes = prime_factors(size);
    out.push_back({.size = size,
                   .divisors = divisor_count(size),
                   .largest_prime = primes.empty() ? 1 : primes.back()});
  }
  std::sort(out.begin(), out.end(), [](const SizeChoice& a, const SizeChoice& b) {
    return a.divisors != b.divisors ? a.divisors > b.divisors : a.size < b.size;
  });
  if (out.size() > count) out.resize(count);
  return out;
}

std::uint32_t next_fold(const std::vector<std::uint32_t>& admissible,
                        const std::vector<std::uint32_t>& sent) {
  std::uint64_t known = 1;
  for (std::uint32_t size : sent) known = std::lcm<std::uint64_t>(known, size);
  std::uint32_t best = 0;
  std::uint64_t most = 0;
  for (std::uint32_t size : admissible) {
    if (std::find(sent.begin(), sent.end(), size) != sent.end()) continue;
    std::uint64_t together = std::lcm<std::uint64_t>(known, size);
    if (together > most || (together == most && size < best)) {
      most = together;
      best = size;
    }
  }
  return best;
}

}  // namespace beckon::filters
