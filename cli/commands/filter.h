#pragma once

#include "cli/command.h"

namespace beckon::cli {

/// `beckon filter ...`: design, compare, simulate, inspect. Needs no daemon.
void add_filter(Command app, Globals& globals);

void add_filter_count(Command filter, Globals& globals);
void add_filter_errors(Command filter, Globals& globals);
void add_filter_exchange(Command filter, Globals& globals);
void add_filter_fold(Command filter, Globals& globals);
void add_filter_inspect(Command filter, Globals& globals);
void add_filter_simulate(Command filter, Globals& globals);
void add_filter_tree(Command filter, Globals& globals);

}  // namespace beckon::cli
