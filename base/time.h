// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace beckon {

using Duration = std::chrono::microseconds;

namespace detail {
struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};
struct WallClock {
  using duration = std::chrono::milliseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<WallClock>;
  static constexpr bool is_steady = false;
};
}  // namespace detail

/// A moment on the node's own monotonic clock; the clock itself is read by drivers only.
using Time = detail::MonotonicClock::time_point;

/// A moment since 1970-01-01 UTC in milliseconds, for what nodes must agree on: expiry, versions.
using WallTime = detail::WallClock::time_point;

/// Both readings, taken together by the driver and passed in with every input.
struct Now {
  Time mono{};
  WallTime wall{};
  friend bool operator==(const Now&, const Now&) = default;
};

inline std::int64_t to_ms(WallTime t) { return t.time_since_epoch().count(); }
inline WallTime wall_from_ms(std::int64_t ms) { return WallTime(std::chrono::milliseconds(ms)); }

}  // namespace beckon
