// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "base/time.h"

namespace beckon::service {

/// How long something took, counted by size: Prometheus' histogram with fixed bounds in seconds.
/// Bounds from a millisecond (a reply on the same machine) to half a minute (the longest time-out).
class Histogram {
 public:
  static constexpr std::array bounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                        0.25,  0.5,    1.0,   2.5,  5.0,   10.0, 30.0};

  void observe(Duration took) {
    double seconds = std::chrono::duration<double>(took).count();
    std::size_t at = 0;
    while (at < bounds.size() && seconds > bounds[at]) ++at;
    ++counts_[at];
    ++count_;
    sum_ += seconds;
  }

  /// How many took that long or less, for each bound.
  std::array<std::uint64_t, bounds.size()> cumulative() const {
    std::array<std::uint64_t, bounds.size()> out{};
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) out[i] = sum += counts_[i];
    return out;
  }
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }  // seconds

 private:
  std::array<std::uint64_t, bounds.size() + 1> counts_{};  // the last: longer than all bounds
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace beckon::service
