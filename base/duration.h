// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace beckon {

/// A length of time as people write it: a decimal number and a unit, "250ms", "5s", "1.5m", "2h".
/// At most 366 days, never negative.
Result<Duration> parse_duration(std::string_view text);

std::string to_text(Duration duration);  // the shortest of the same spellings that is exact

}  // namespace beckon
