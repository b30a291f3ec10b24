// SPDX-License-Identifier: MIT
#pragma once

#include "cli/args/command.h"

namespace beckon::cli {

void add_send(Command app, Globals& globals);
void add_inbox(Command app, Globals& globals);
void add_contact(Command app, Globals& globals);
void add_call(Command app, Globals& globals);

}  // namespace beckon::cli
