#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon::service {

/// JSON that somebody sent: UTF-8, within `limit` bytes, at most 16 levels deep, no key twice in
/// one object.
Result<nlohmann::json> parse_json(std::string_view text, std::size_t limit);

std::string to_text(const nlohmann::ordered_json& json);  // one line; broken UTF-8 replaced
std::string to_text(const nlohmann::json& json);

}  // namespace beckon::service
