// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "node/io/descriptor.h"

namespace beckon::io {

/// A listening Unix socket, mode 0600 from its first moment; replaces an old socket of that name.
Result<Descriptor> listen_unix(const std::string& path);

/// Is the process at the other end one of our own user's?
bool same_user(int socket);

/// Has the other end closed? Reads nothing.
bool peer_closed(int socket);

}  // namespace beckon::io
