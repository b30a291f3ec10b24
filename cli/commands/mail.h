#pragma once

#include "cli/commands.h"

namespace beckon::cli {

void add_send(CLI::App& app, Globals& globals);
void add_inbox(CLI::App& app, Globals& globals);
void add_contact(CLI::App& app, Globals& globals);
void add_call(CLI::App& app, Globals& globals);

}  // namespace beckon::cli
