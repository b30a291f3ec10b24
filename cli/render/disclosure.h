// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

#include "base/json.h"

namespace beckon::cli {

/// What others will see of a profile, what only matches and what stays, each with its values: all
/// of it, nothing else. `reply` is what GET /v1/profile says.
void print_disclosure(std::FILE* to, const Json& reply);

}  // namespace beckon::cli
