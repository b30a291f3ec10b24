#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>

namespace beckon::cli {

/// What others will see of a profile, what only matches and what stays, each with its values: all
/// of it, nothing else. `reply` is what GET /v1/profile says.
void print_disclosure(std::FILE* to, const nlohmann::ordered_json& reply);

}  // namespace beckon::cli
