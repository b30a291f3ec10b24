// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace beckon::cli {

/// How many columns a terminal takes for a text: two for a wide East Asian letter, none for a mark
/// that stands on the letter before it.
std::size_t columns(std::string_view text);

/// The text, or as much of it as fits with "..." behind it into so many columns.
std::string cut_to(std::string_view text, std::size_t columns);

}  // namespace beckon::cli
