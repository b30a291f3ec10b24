// SPDX-License-Identifier: MIT
#include "filters/exchange/set_summaries.h"

#include <algorithm>
#include <cmath>

namespace beckon::filters {

namespace {

/// Bits per element of a filter whose rate with k positions is `rate`: fill^k.
double filter_bits(double rate, double k) { return -k / std::log1p(-std::pow(rate, 1 / k)); }

double entropy(double p) { return -(p * std::log2(p) + (1 - p) * std::log2(1 - p)); }

double compressed_bits(double rate, double k) {
  return filter_bits(rate, k) * entropy(std::pow(rate, 1 / k));
}

/// Gaps are geometric with mean 1/rate: b plain bits and the rest in unary.
double golomb_bits(double rate) {
  double best = HUGE_VAL;
  for (int b = 0; b < 60; ++b) {
    double stay = std::exp(std::ldexp(std::log1p(-rate), b));  // (1 - rate)^(2^b)
    best = std::min(best, b + 1 / (1 - stay));
  }
  return best;
}

}  // namespace

SummarySizes summary_sizes(double rate) {
  SummarySizes out{.floor = -std::log2(rate), .plain = HUGE_VAL};
  for (std::uint32_t k = 1; k <= 64; ++k) {
    double bits = filter_bits(rate, k);
    if (bits < out.plain) {
      out.plain = bits;
      out.plain_k = k;
    }
  }
  out.compressed = compressed_bits(rate, 2);
  out.one_position = compressed_bits(rate, 1);
  out.golomb = golomb_bits(rate);
  return out;
}

}  // namespace beckon::filters
