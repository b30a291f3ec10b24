// SPDX-License-Identifier: MIT
#pragma once

#include "cli/args/command.h"

namespace beckon::cli {

// The commands of beckon-filter; one file each.
void add_filter_design(Command filter, Globals& globals);
void add_filter_compare(Command filter, Globals& globals);
void add_filter_draw(Command filter, Globals& globals);
void add_filter_words(Command filter, Globals& globals);  // hidden: for `beckon completion`
void add_filter_ask(Command filter, Globals& globals);
void add_filter_count(Command filter, Globals& globals);
void add_filter_errors(Command filter, Globals& globals);
void add_filter_exchange(Command filter, Globals& globals);
void add_filter_fold(Command filter, Globals& globals);
void add_filter_inspect(Command filter, Globals& globals);
void add_filter_simulate(Command filter, Globals& globals);
void add_filter_tree(Command filter, Globals& globals);

}  // namespace beckon::cli
