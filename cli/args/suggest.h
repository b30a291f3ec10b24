// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace beckon::cli {

/// How many letters must be changed, added, taken away or swapped with a neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The names nearest to a mistyped one, best first; empty when none is near.
std::vector<std::string> suggest(std::string_view typed, const std::vector<std::string>& names);

}  // namespace beckon::cli
