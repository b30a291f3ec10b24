// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cli/args/globals.h"

namespace beckon::cli {

/// `filter inspect --profile FILE`: what publishing that profile.json would put on the ring: which
/// class and length of filter, what it costs, its bits, and what others will see.
int inspect_profile(const Globals& globals, const std::string& path);

}  // namespace beckon::cli
