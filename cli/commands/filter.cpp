// SPDX-License-Identifier: MIT
#include "cli/commands/filter.h"

#include <algorithm>
#include <memory>

#include "cli/session/launch.h"

namespace beckon::cli {

namespace {

/// The global flags that stood before `filter`, spelled again for the other program unless they
/// stand behind `filter` too.
std::vector<std::string> global_words(const Globals& globals,
                                      const std::vector<std::string>& rest) {
  std::vector<std::string> out;
  auto given = [&](const std::string& flag) {
    return std::any_of(rest.begin(), rest.end(), [&](const std::string& word) {
      return word == flag || word.starts_with(flag + "=");
    });
  };
  auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty() && !given(flag)) out.insert(out.end(), {flag, value});
  };
  add("--color", globals.color == "auto" ? "" : globals.color);
  add("--home", globals.home);
  add("--as", globals.as);
  if (globals.json) out.emplace_back("--json");
  if (globals.quiet) out.emplace_back("--quiet");
  if (globals.verbose) out.emplace_back("--verbose");
  return out;
}

int run_filter(const Globals& globals, const std::vector<std::string>& rest) {
  auto program = find_program("beckon-filter");
  if (!program)
    return fail(globals, exit_code::nothing, program.error().text,
                "In a source tree: scripts/build release beckon-filter");
  std::vector<std::string> words = global_words(globals, rest);
  words.insert(words.end(), rest.begin(), rest.end());
  return fail(globals, exit_code::nothing, become(*program, words).text);
}

}  // namespace

void add_filter(Command app, Globals& globals) {
  Command filter =
      app.add_subcommand("filter", "Design, compare and examine filters; needs no daemon");
  auto rest = std::make_shared<std::vector<std::string>>();  // kept by the action
  filter.pass_on(*rest);
  filter.action(globals, [&globals, rest] { return run_filter(globals, *rest); });
}

std::vector<CommandWords> filter_words() {
  auto program = find_program("beckon-filter");
  if (!program) return {};
  auto text = run(*program, {"words"});
  return text ? parse_words(*text) : std::vector<CommandWords>{};
}

}  // namespace beckon::cli
