// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "filters/spectral/spectral.h"

namespace beckon::filters {

/// Positions of many elements at once, on the widest vectors the processor has (chosen at run
/// time). The same positions as Placement gives, ordered by hash function first; not for placements
/// by line, which have count_lines.h.
class PositionBatch {
 public:
  static constexpr std::size_t capacity = 64;

  explicit PositionBatch(const Placement& placement)
      : placement_(placement), at_(capacity * placement.k()) {
    ENSURE(!placement.by_line());
  }

  void compute(std::span<const Hash128> elements);  // at most `capacity`
  std::span<const std::uint32_t> all() const { return {at_.data(), count_ * placement_.k()}; }
  /// Position j of element i.
  std::uint32_t of(std::size_t i, std::uint32_t j) const { return at_[j * count_ + i]; }

 private:
  Placement placement_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> at_;
};

}  // namespace beckon::filters
