// SPDX-License-Identifier: MIT
#pragma once

#include "cli/args/command.h"

namespace beckon::cli {

void add_profile(Command app, Globals& globals);
void add_find(Command app, Globals& globals);
void add_me(Command app, Globals& globals);

/// Imports profile.json or a vCard as the user's own profile, or people.jsonl as new users.
int import_people(const Globals& globals, const std::string& file, bool publish);

}  // namespace beckon::cli
