// SPDX-License-Identifier: MIT
#pragma once

#include "profile/person/value.h"

namespace beckon::profile {

// Values that mix text and a number: "CS2008" is the template "cs#" with 2008, "EC-300..399" (also
// written EC-[300..399]) is "ec-#" with a range. The last run of digits is the number; earlier ones
// stay text. Leading zeros do not count: CS008 is CS8.

Result<Value> parse_hybrid(std::string_view text, Side side);
std::string hybrid_text(const Value& value);

}  // namespace beckon::profile
