#pragma once

#include "node/driver.h"
#include "node/instance.h"

namespace beckon {

/// GET /v1/overlay, POST /v1/overlay/invites, /revocations and /schema. They stand here and not
/// in node/service because the authority keeps files.
void add_overlay_routes(Driver& driver, Instance& instance);

}  // namespace beckon
