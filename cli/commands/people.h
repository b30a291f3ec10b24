#pragma once

#include "cli/commands.h"

namespace beckon::cli {

void add_profile(CLI::App& app, Globals& globals);
void add_find(CLI::App& app, Globals& globals);

/// Imports profile.json or a vCard as the user's own profile, or people.jsonl as new users.
int import_people(const Globals& globals, const std::string& file, bool publish);

}  // namespace beckon::cli
