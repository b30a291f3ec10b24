// SPDX-License-Identifier: MIT
#pragma once

#include <variant>

#include "filters/spectral/compact_counters.h"
#include "filters/spectral/spectral.h"
#include "filters/spectral/string_array.h"

namespace beckon::filters {

enum class SpectralForm : std::uint8_t {
  string_array = 1,  // O(1) to read
  compact = 2,       // fewer bytes, 64 codes to scan
};

/// A spectral filter as bytes: "BKSF", version, form, k, block, counters, salt, total, XXH3-64 of
/// those, then the counters in the chosen form with a checksum of their own.
Bytes encode(const SpectralFilter& filter, SpectralForm form);

/// A spectral filter read where it was received, minimum selection. The bytes must outlive it.
class SpectralView {
 public:
  static Result<SpectralView> open(ByteView bytes);

  std::uint64_t estimate(const Hash128& element) const;
  bool at_least(const Hash128& element, std::uint64_t threshold) const {
    return estimate(element) >= threshold;
  }
  const SpectralShape& shape() const { return shape_; }
  std::uint64_t total() const { return total_; }
  std::uint64_t counter(std::uint32_t i) const;
  /// A copy to change.
  SpectralFilter filter() const;

 private:
  using Counters = std::variant<StringArrayView, CompactCountersView>;
  SpectralView(const SpectralShape& shape, std::uint64_t total, Counters counters)
      : shape_(shape), total_(total), counters_(std::move(counters)) {}

  SpectralShape shape_;
  std::uint64_t total_;
  Counters counters_;
};

}  // namespace beckon::filters
