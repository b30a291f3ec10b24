// SPDX-License-Identifier: MIT
#include "filters/spectral/spectral_apps.h"

#include <algorithm>

namespace beckon::filters {

Result<MultiscanResult> multiscan_iceberg(const Scan& scan, const MultiscanOptions& options) {
  MultiscanResult out;
  std::vector<SpectralFilter> filters;
  SpectralShape shape = options.first;
  auto passes = [&](const Hash128& element) {
    return std::all_of(filters.begin(), filters.end(), [&](const SpectralFilter& filter) {
      return filter.at_least(element, options.threshold);
    });
  };
  for (std::uint32_t stage = 0; stage < options.stages; ++stage) {
    auto filter = SpectralFilter::make(shape);
    if (!filter) return filter.error();
    scan([&](const Hash128& element) {
      if (passes(element)) filter->insert(element);
    });
    ++out.scans;
    out.sizes.push_back(shape.counters);
    double mean = static_cast<double>(filter->total()) * shape.k / shape.counters;
    bool weak = mean > static_cast<double>(options.threshold);
    double factor = weak ? 2 : options.shrink;
    auto next = static_cast<std::uint32_t>(
        std::clamp(factor * shape.counters, static_cast<double>(options.least_counters),
                   static_cast<double>(SpectralShape::max_counters)));
    filters.push_back(std::move(*filter));
    shape.counters = next;
    ++shape.salt;
  }
  scan([&](const Hash128& element) {
    if (passes(element)) out.candidates.insert(element);
  });
  ++out.scans;
  return out;
}

Result<std::vector<JoinRow>> bloomjoin(const SpectralFilter& r, const SpectralFilter& s,
                                       std::span<const Hash128> rows_of_r,
                                       std::uint64_t threshold) {
  SpectralFilter joined = r;
  auto multiplied = joined.multiply(s);
  if (!multiplied) return multiplied.error();
  std::vector<JoinRow> out;
  for (std::size_t row : iceberg(joined, rows_of_r, std::max<std::uint64_t>(threshold, 1))) {
    out.push_back({.row = row, .count = joined.estimate(rows_of_r[row])});
  }
  return out;
}

double sparse_join_size(const SpectralFilter& r, std::span<const Hash128> sample_of_s,
                        std::uint64_t size_of_s, std::uint64_t dense) {
  double sum = 0;
  for (const Hash128& element : sample_of_s) {
    std::uint64_t count = r.estimate(element);
    if (count < dense) sum += static_cast<double>(count);
  }
  if (sample_of_s.empty()) return 0;
  return sum * static_cast<double>(size_of_s) / static_cast<double>(sample_of_s.size());
}

Aggregate aggregate(const SpectralFilter& filter, std::span<const Hash128> elements,
                    std::uint32_t groups) {
  Aggregate out;
  out.least = elements.empty() ? 0 : max_count;
  for (const Hash128& element : elements) {
    std::uint64_t count = filter.estimate(element);
    out.sum = count_up(out.sum, count);
    out.unbiased_sum += filter.unbiased(element, groups);
    out.least = std::min(out.least, count);
    out.most = std::max(out.most, count);
  }
  if (!elements.empty()) {
    out.mean = static_cast<double>(out.sum) / static_cast<double>(elements.size());
  }
  return out;
}

}  // namespace beckon::filters
