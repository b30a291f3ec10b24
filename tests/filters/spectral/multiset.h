// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/rng.h"
#include "filters/spectral/spectral_apps.h"

namespace beckon::filters {

/// The exact twin of every spectral filter.
using ExactCounts = std::map<Hash128, std::uint64_t, ElementLess>;

inline Hash128 random_element(Rng& rng) { return {.low = rng.next(), .high = rng.next()}; }

inline std::vector<Hash128> random_elements(Rng& rng, std::size_t count) {
  std::vector<Hash128> out(count);
  for (Hash128& element : out) element = random_element(rng);
  return out;
}

/// A stream over `distinct` elements, the i-th of them (from 1) with probability c / i^skew.
struct ZipfStream {
  std::vector<Hash128> elements{};  // by falling frequency
  std::vector<Hash128> stream{};
  ExactCounts counts{};

  ZipfStream(Rng& rng, std::size_t distinct, std::size_t length, double skew) {
    std::vector<double> upto(distinct);
    double sum = 0;
    for (std::size_t i = 0; i < distinct; ++i) {
      elements.push_back(random_element(rng));
      upto[i] = sum += std::pow(static_cast<double>(i + 1), -skew);
    }
    for (std::size_t i = 0; i < length; ++i) {
      auto at = std::lower_bound(upto.begin(), upto.end(), rng.real() * sum) - upto.begin();
      stream.push_back(elements[std::min(static_cast<std::size_t>(at), distinct - 1)]);
      ++counts[stream.back()];
    }
  }
};

/// How far estimates are off, over the elements given (spectral-filters 6.1).
struct Errors {
  double additive = 0;  // root of the mean squared error
  double ratio = 0;     // share of wrong answers
  double below = 0;     // share of answers below the truth
};

template <typename Filter>
Errors errors_of(const Filter& filter, const ExactCounts& counts) {
  Errors out;
  for (const auto& [element, truth] : counts) {
    std::uint64_t got = filter.estimate(element);
    double off = static_cast<double>(got) - static_cast<double>(truth);
    out.additive += off * off;
    out.ratio += got != truth ? 1 : 0;
    out.below += got < truth ? 1 : 0;
  }
  auto n = static_cast<double>(counts.size());
  return {std::sqrt(out.additive / n), out.ratio / n, out.below / n};
}

}  // namespace beckon::filters
