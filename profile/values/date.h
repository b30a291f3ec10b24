// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon::profile {

/// Days since 1970-01-01, first and last of what was written: a day, a month or a year.
struct DaySpan {
  std::int64_t first{};
  std::int64_t last{};
};

Result<DaySpan> parse_date(std::string_view text);  // 2026-05-01, 2026-05 or 2026
std::string date_text(std::int64_t day);            // 2026-05-01

/// Whole years between two days, as people count age.
std::int64_t years_between(std::int64_t birth, std::int64_t today);

}  // namespace beckon::profile
