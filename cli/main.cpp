#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/commands.h"
#include "cli/commands/filter.h"

namespace {

using namespace beckon::cli;

void add_globals(CLI::App& app, Globals& globals) {
  app.add_option("--home", globals.home, "Keep config, state and socket of one instance below DIR")
      ->type_name("DIR")
      ->envname("BECKON_HOME");
  app.add_option("--as", globals.as, "Act as this hosted user")->type_name("USER");
  app.add_flag("--json", globals.json, "Answer in JSON on stdout");
  app.add_flag("-q,--quiet", globals.quiet, "Say less");
  app.add_flag("-v,--verbose", globals.verbose, "Say more");
  app.add_option("--color", globals.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Beckon reaches people by what you know of them. No server, no numbers.", "beckon");
  app.set_version_flag("--version", BECKON_VERSION);
  app.require_subcommand(0, 1);
  app.fallthrough();
  Globals globals;
  add_globals(app, globals);
  add_filter(app, globals);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    // CLI11 stores flags only after all of them were read well, so ask the raw words.
    globals.json = globals.json || std::any_of(argv + 1, argv + argc, [](const char* word) {
                     return std::string_view(word) == "--json";
                   });
    return fail(globals, exit_code::usage, error.what(), "See: beckon --help");
  }
  if (!globals.action) {
    std::fputs(app.help().c_str(), stdout);
    return exit_code::usage;
  }
  return globals.action();
}
