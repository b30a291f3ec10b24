// SPDX-License-Identifier: MIT
#pragma once

#include "node/driver.h"
#include "node/home.h"

namespace beckon {

/// GET /v1/overlay, POST /v1/overlay/invites, /revocations and /schema. They stand here and not
/// in node/service because the authority keeps files.
void add_overlay_routes(Driver& driver, Home& home);

}  // namespace beckon
