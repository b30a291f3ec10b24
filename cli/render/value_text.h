// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace beckon::cli {

/// An attribute's value as people read it: "chess, go", "24", "20..30"; at most `limit` columns,
/// safe for a terminal.
std::string value_text(const Json& value, std::size_t limit = 200);

/// The items of a value as people write it: cut at commas, except between quotation marks, inside
/// which \" and \\ stand for themselves.
Result<std::vector<std::string>> split_items(std::string_view text);

}  // namespace beckon::cli
