// SPDX-License-Identifier: MIT
#pragma once

#include "cli/args/command.h"
#include "cli/args/completion.h"

namespace beckon::cli {

/// `beckon filter ...`: becomes the program beckon-filter, which stands beside this one.
void add_filter(Command app, Globals& globals);

/// The commands of beckon-filter; none where that program is not installed.
std::vector<CommandWords> filter_words();

}  // namespace beckon::cli
