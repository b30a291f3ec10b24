// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "filters/spectral/spectral.h"

namespace beckon::filters {

struct RangeTreeShape {
  SpectralShape filter{};
  std::int64_t low = 0;      // smallest value
  std::uint64_t size = 0;    // how many values there are, 1 .. 2^62
  std::uint32_t degree = 2;  // children of a node, 2 .. 64
};

/// Counts over ranges in one spectral filter (spectral-filters 5.5): the values are the leaves of a
/// tree of the given degree, and each occurrence counts at every node above it, up to but not
/// including the root, whose count is known exactly. A range is the sum of the few nodes that make
/// it up: at most 2 log2 |Q| estimates in a binary tree, 2 (p - 1) for each of log_p |Q| levels
/// otherwise. Never below the truth.
class RangeTree {
 public:
  static Result<RangeTree> make(const RangeTreeShape& shape);

  Result<void> insert(std::int64_t value, std::uint64_t count = 1);
  /// False if the value is outside or that many cannot be there; then nothing changed.
  bool remove(std::int64_t value, std::uint64_t count = 1);

  struct Answer {
    std::uint64_t count = 0;
    std::uint32_t estimates = 0;  // nodes asked
  };
  /// Occurrences of lo..hi, both included; the part outside the tree holds none.
  Answer count(std::int64_t lo, std::int64_t hi) const;

  std::uint32_t levels() const { return levels_; }  // below the root
  const SpectralFilter& filter() const { return filter_; }

 private:
  RangeTree(const RangeTreeShape& shape, SpectralFilter filter);
  Hash128 node(std::uint32_t level, std::uint64_t index) const;
  bool holds(std::int64_t value) const;
  std::uint64_t leaf(std::int64_t value) const;

  RangeTreeShape shape_;
  SpectralFilter filter_;
  std::uint32_t levels_ = 1;
  std::uint64_t total_ = 0;
};

}  // namespace beckon::filters
