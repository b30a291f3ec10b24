#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/command.h"
#include "cli/commands/daemon.h"
#include "cli/commands/filter.h"
#include "cli/commands/mail.h"
#include "cli/commands/people.h"
#include "cli/explain.h"

namespace {

using namespace beckon::cli;

void add_globals(Command app, Globals& globals) {
  app.add_option("--home", globals.home, "Keep config, state and socket of one instance below DIR")
      .type_name("DIR")
      .from_environment("BECKON_HOME");
  app.add_option("--as", globals.as, "Act as this hosted user").type_name("USER");
  app.add_flag("--json", globals.json, "Answer in JSON on stdout");
  app.add_flag("-q,--quiet", globals.quiet, "Say less");
  app.add_flag("-v,--verbose", globals.verbose, "Say more");
  app.add_option("--color", globals.color, "auto, always or never")
      .one_of({"auto", "always", "never"});
}

void add_commands(Command app, Globals& globals) {
  for (Register add :
       {add_up, add_down, add_status, add_send, add_inbox, add_contact, add_call, add_profile,
        add_find, add_net, add_filter, add_config, add_overlay, add_doctor, add_completion}) {
    add(app, globals);
  }
}

/// `--join=` with nothing behind it, for which CLI11 would take the next word.
std::string flag_without_value(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return {};
    if (word.starts_with("--") && word.ends_with("=")) return word.substr(0, word.size() - 1);
  }
  return {};
}

int misused(Globals& globals, const std::vector<std::string>& words, const Mistake& mistake) {
  // CLI11 stores flags only after all of them were read well, so ask the raw words.
  globals.json = std::find(words.begin(), words.end(), "--json") != words.end();
  return fail(globals, exit_code::usage, mistake.message, mistake.hint);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Beckon reaches people by what you know of them. No server, no numbers.", "beckon");
  app.set_version_flag("--version", BECKON_VERSION);
  app.require_subcommand(0, 1);
  app.fallthrough();
  Globals globals;
  add_globals(Command(&app), globals);
  add_commands(Command(&app), globals);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (std::string flag = flag_without_value(words); !flag.empty())
    return misused(globals, words, {flag + ": needs a value, got an empty one", ""});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return misused(globals, words, explain(app, error, words));
  }
  if (!globals.action) {
    std::fputs(app.help().c_str(), stdout);
    return exit_code::usage;
  }
  return globals.action();
}
