#pragma once

#include "cli/commands.h"

namespace beckon::cli {

void add_up(CLI::App& app, Globals& globals);
void add_down(CLI::App& app, Globals& globals);
void add_status(CLI::App& app, Globals& globals);
void add_net(CLI::App& app, Globals& globals);
void add_config(CLI::App& app, Globals& globals);
void add_overlay(CLI::App& app, Globals& globals);
void add_doctor(CLI::App& app, Globals& globals);
void add_completion(CLI::App& app, Globals& globals);

}  // namespace beckon::cli
