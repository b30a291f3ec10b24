// SPDX-License-Identifier: MIT
#pragma once

#include "cli/args/command.h"

namespace beckon::cli {

void add_up(Command app, Globals& globals);
void add_down(Command app, Globals& globals);
void add_status(Command app, Globals& globals);
void add_net(Command app, Globals& globals);
void add_config(Command app, Globals& globals);
void add_overlay(Command app, Globals& globals);
void add_doctor(Command app, Globals& globals);
void add_completion(Command app, Globals& globals);

}  // namespace beckon::cli
