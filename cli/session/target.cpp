// SPDX-License-Identifier: MIT
#include "cli/session/target.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "base/json.h"
#include "base/person_address.h"
#include "cli/session/last_find.h"
#include "cli/session/session.h"

namespace beckon::cli {

namespace {

Json person(const FoundRow& row) {
  return {{"key", row.key},
          {"message_key", row.message_key},
          {"host", row.host},
          {"address", row.address},
          {"name", row.name}};
}

bool is_query(const std::string& word) {
  if (looks_like_address(word)) return false;
  return word.find('=') != std::string::npos || word.starts_with("(");
}

bool is_prefix(const std::string& word) {
  return word.size() >= 6 && word.size() <= 40 &&
         word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The one row of the last find whose id begins so, if there is exactly one.
const FoundRow* row_with(const LastFind& found, const std::string& prefix) {
  const FoundRow* only = nullptr;
  for (const FoundRow& row : found.rows) {
    if (!row.id.starts_with(prefix)) continue;
    if (only != nullptr) return nullptr;
    only = &row;
  }
  return only;
}

struct Named {
  Json to = Json::array();
  std::vector<std::string> names{};
  std::map<std::string, std::vector<std::string>> ways{};
};

void add(Named& target, const FoundRow& row) {
  target.to.push_back(person(row));
  target.ways[row.id] = row.ways;
  target.names.push_back(row.name.empty() ? row.id.substr(0, 8) : row.name);
}

Result<void> add_name(Named& target, const std::string& word, const Result<LastFind>& found) {
  if (word.empty()) return invalid("a name is missing in the list of people");
  if (word.starts_with("@")) {
    if (!found) return found.error();
    auto row = row_named(*found, word);
    if (!row) return row.error();
    add(target, *row);
    return {};
  }
  if (looks_like_address(word)) {
    if (auto address = read_person_address(word); !address) return address.error();
  }
  const FoundRow* row = found && is_prefix(word) ? row_with(*found, word) : nullptr;
  if (row != nullptr) {
    add(target, *row);
    return {};
  }
  target.to.push_back(word);
  target.names.push_back(word);
  return {};
}

}  // namespace

Argument add_target(const Command& command, std::string& to) {
  return command
      .add_option("TARGET", to,
                  "@N of the last find, an address, an alias, a User-ID (6 digits or more), a "
                  "list of these with commas, or a query")
      .type_name("");
}

Result<TargetWord> read_target(const Globals& globals, const std::string& word) {
  TargetWord out;
  if (is_query(word)) {
    out.query = word;
    return out;
  }
  auto paths = config::find_paths(globals.home, config::process_environment);
  if (!paths) return paths.error();
  auto found = load_last_find(*paths);
  Named named;
  for (std::size_t begin = 0; begin <= word.size();) {
    std::size_t comma = std::min(word.find(',', begin), word.size());
    auto added = add_name(named, word.substr(begin, comma - begin), found);
    if (!added) return added.error();
    begin = comma + 1;
  }
  out.to = named.to.dump();
  out.names = std::move(named.names);
  out.ways = std::move(named.ways);
  return out;
}

bool confirm(const std::string& question) {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1) return false;
  fmt::print(stderr, "{} [y/N] ", question);
  std::fflush(stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Query acting_as(const Globals& globals) {
  if (globals.as.empty()) return {};
  return {{"_as", globals.as}};
}

std::string path_segment(const std::string& text) {
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.');
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace beckon::cli
