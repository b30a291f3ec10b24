// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace beckon {

/// The same text with control characters and broken UTF-8 shown as \xNN, cut at `limit` bytes:
/// safe for a terminal and for a log that is read line by line.
std::string printable(std::string_view text, std::size_t limit = 4096);

}  // namespace beckon
