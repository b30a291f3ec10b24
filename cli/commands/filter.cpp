#include "cli/commands/filter.h"

#include <memory>

#include "cli/session/launch.h"

namespace beckon::cli {

namespace {

/// The global flags that stood before `filter`, spelled again for the other program.
std::vector<std::string> global_words(const Globals& globals) {
  std::vector<std::string> out{"--color", globals.color};
  if (!globals.home.empty()) out.insert(out.end(), {"--home", globals.home});
  if (!globals.as.empty()) out.insert(out.end(), {"--as", globals.as});
  if (globals.json) out.emplace_back("--json");
  if (globals.quiet) out.emplace_back("--quiet");
  if (globals.verbose) out.emplace_back("--verbose");
  return out;
}

int run_filter(const Globals& globals, const std::vector<std::string>& rest) {
  auto program = find_program("beckon-filter");
  if (!program) return fail(globals, exit_code::nothing, program.error().text);
  std::vector<std::string> words = global_words(globals);
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
