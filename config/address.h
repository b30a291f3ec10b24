// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace beckon::config {

/// Where others can reach who listens there: the address itself, or, when it stands for all
/// addresses of this machine (0.0.0.0, [::]), those of them, loopback only if there is no other.
/// At most four, never none.
std::vector<std::string> reachable_at(const std::string& listen);
bool is_loopback(std::string_view address);

}  // namespace beckon::config
