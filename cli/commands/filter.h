#pragma once

#include "cli/commands.h"

namespace beckon::cli {

/// `beckon filter ...`: design, compare, simulate, inspect. Needs no daemon.
void add_filter(CLI::App& app, Globals& globals);

void add_filter_count(CLI::App& filter, Globals& globals);
void add_filter_errors(CLI::App& filter, Globals& globals);
void add_filter_exchange(CLI::App& filter, Globals& globals);
void add_filter_fold(CLI::App& filter, Globals& globals);
void add_filter_inspect(CLI::App& filter, Globals& globals);
void add_filter_simulate(CLI::App& filter, Globals& globals);
void add_filter_tree(CLI::App& filter, Globals& globals);

}  // namespace beckon::cli
