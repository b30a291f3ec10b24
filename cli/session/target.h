// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/args/command.h"
#include "cli/session/client.h"

namespace beckon::cli {

/// Whom a TARGET word means: "@3" and "@1,@4" rows of the last find, aliases, addresses and
/// beginnings of User-IDs (also in such a list), or a query, known by its "=" or "(" in front.
struct TargetWord {
  std::string query{};               // else:
  std::string to{};                  // JSON for the API: names, and people as the find gave them
  std::vector<std::string> names{};  // of these, for people
  std::map<std::string, std::vector<std::string>> ways{};  // User-ID -> sip:, tel:, mailto:
};
/// The word TARGET of a command, with its help.
Argument add_target(const Command& command, std::string& to);
Result<TargetWord> read_target(const Globals& globals, const std::string& word);

/// A number of people that is asked for first.
inline constexpr std::size_t asks_above = 5;

/// True if the person at the terminal says yes; false without a terminal.
bool confirm(const std::string& question);

/// ?_as= of --as, for any call.
Query acting_as(const Globals& globals);

std::string path_segment(const std::string& text);  // percent-encoded

}  // namespace beckon::cli
