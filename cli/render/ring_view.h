// SPDX-License-Identifier: MIT
#pragma once

#include "base/json.h"

namespace beckon::cli {

/// Of the ring as /v1/status and /v1/net/ring show it. A node that others point at is not alone,
/// though its own list be empty for a moment.
inline bool ring_of_one(const Json& ring) {
  return ring.at("successors").empty() && ring.at("predecessor").is_null();
}

}  // namespace beckon::cli
