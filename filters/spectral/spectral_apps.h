// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "filters/spectral/spectral.h"

namespace beckon::filters {

// What spectral filters are for (spectral-filters 5), as functions. `Filter` is any of the methods.

/// Orders elements, so that sets of them come out the same everywhere.
struct ElementLess {
  bool operator()(const Hash128& a, const Hash128& b) const {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
};
using ElementSet = std::set<Hash128, ElementLess>;

/// Ad-hoc iceberg query (5.2): which elements occur `threshold` times or more, the threshold chosen
/// now. One scan over the elements; each answer once, as the index of its first occurrence. None
/// that should be there is missing (if the method never estimates below the truth).
template <typename Filter>
std::vector<std::size_t> iceberg(const Filter& filter, std::span<const Hash128> scan,
                                 std::uint64_t threshold) {
  ElementSet seen;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < scan.size(); ++i) {
    if (filter.at_least(scan[i], threshold) && seen.insert(scan[i]).second) out.push_back(i);
  }
  return out;
}

/// Calls its argument with every element of the data, each time it is called.
using Scan = std::function<void(const std::function<void(const Hash128&)>&)>;

struct MultiscanOptions {
  std::uint64_t threshold = 1;
  SpectralShape first{};  // counters may be far fewer than elements ("lossy")
  double shrink = 0.5;    // each filter has this share of the counters of the one before
  std::uint32_t stages = 3;
  std::uint32_t least_counters = 64;
};
struct MultiscanResult {
  ElementSet candidates{};  // a superset of the answer
  std::uint32_t scans = 0;
  std::vector<std::uint32_t> sizes{};  // counters of each stage
};
/// Iceberg query by several scans through small filters (5.2, after multiscan-shared): each filter
/// holds only what passed those before it. A stage whose mean counter is above the threshold hardly
/// filters, so the one after it is doubled instead of shrunk.
Result<MultiscanResult> multiscan_iceberg(const Scan& scan, const MultiscanOptions& options);

struct JoinRow {
  std::size_t row = 0;      // index into the rows of R
  std::uint64_t count = 0;  // estimated rows of the join with this key
};
/// Spectral Bloomjoin (5.3) at R's site: S sent its filter; keys of R whose joined count reaches
/// `threshold` (1: no filtering), each key once. One message, no feedback. Never misses a row.
Result<std::vector<JoinRow>> bloomjoin(const SpectralFilter& r, const SpectralFilter& s,
                                       std::span<const Hash128> rows_of_r,
                                       std::uint64_t threshold = 1);

/// The sparse side of bifocal sampling (5.4): the size of the join of S's tuples with those of R's
/// values that occur fewer than `dense` times, from a sample of S and a filter of R in the place of
/// an index.
double sparse_join_size(const SpectralFilter& r, std::span<const Hash128> sample_of_s,
                        std::uint64_t size_of_s, std::uint64_t dense);

struct Aggregate {
  std::uint64_t sum = 0;    // of estimates: not below the truth
  double unbiased_sum = 0;  // right on average, better for many elements
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  double mean = 0;
};
/// Aggregates over the given (distinct) elements (5.1).
Aggregate aggregate(const SpectralFilter& filter, std::span<const Hash128> elements,
                    std::uint32_t groups = 1);

/// The last `capacity` elements of a stream in a filter that can delete.
template <typename Filter>
class SlidingWindow {
 public:
  SlidingWindow(Filter filter, std::size_t capacity)
      : filter_(std::move(filter)), capacity_(capacity) {}

  void push(const Hash128& element) {
    filter_.insert(element);
    window_.push_back(element);
    if (window_.size() <= capacity_) return;
    filter_.remove(window_.front());
    window_.pop_front();
  }
  const Filter& filter() const { return filter_; }
  std::size_t size() const { return window_.size(); }

 private:
  Filter filter_;
  std::size_t capacity_;
  std::deque<Hash128> window_;
};

}  // namespace beckon::filters
