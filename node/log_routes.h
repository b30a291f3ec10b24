// SPDX-License-Identifier: MIT
#pragma once

#include "node/log_file.h"
#include "node/service/api/api.h"

namespace beckon {

/// GET and PUT /v1/log: the level, changed while the node runs. The log outlives the API.
void add_log_routes(service::Api& api, LogFile& log);

}  // namespace beckon
