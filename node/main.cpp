// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/json.h"
#include "config/version.h"
#include "node/daemon.h"

namespace {

using namespace beckon;

constexpr int usage = 2;
constexpr int bug = 70;

/// Keys live in this process: no core file, and no other process of the user may look inside.
void forbid_core_dumps() {
  rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0);
}

int complain(const Error& error) {
  fmt::print(stderr, "beckond: {}\n", error.text);
  return error.code == ErrorCode::invalid ? usage : 1;
}

/// Whatever else beckon checks, beckond may be started by hand or by systemd: an empty value must
/// not mean the default.
void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty(
      [](const std::string& text) -> std::string {
        return text.empty() ? "needs a value, got an empty one" : "";
      },
      "");
  for (CLI::Option* option : app.get_options({})) option->check(not_empty);
}

int make_overlay(const DaemonOptions& options, const WantedOverlay& wanted) {
  auto made = found_overlay(options, wanted);
  if (!made) return complain(made.error());
  Json out{{"name", made->name}, {"id", made->id}, {"authority", made->authority}};
  fmt::print("{}\n", out.dump());
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("beckond is Beckon's node. Most people start it with: beckon up", "beckond");
  DaemonOptions options;
  WantedOverlay new_overlay;
  bool foreground = false;
  app.set_version_flag("--version", config::version_text());
  app.add_option("--home", options.home, "Keep config, state and socket of one instance below DIR")
      ->type_name("DIR");
  app.add_option("--listen", options.listen, "Where other nodes reach this one")
      ->type_name("HOST:PORT");
  app.add_option("--advertise", options.advertise, "The address told to others, when it differs")
      ->type_name("HOST:PORT");
  app.add_option("--join", options.join, "A node to join through; may be given several times")
      ->type_name("HOST:PORT")
      ->allow_extra_args(false);
  app.add_option("--invite", options.invite, "What another node's `beckon overlay invite` printed")
      ->type_name("STRING")
      ->envname("BECKON_INVITE");
  app.add_flag("--create", options.create, "Found a new ring even though peers are remembered");
  app.add_option("--log-level", options.log_level, "debug, info, warning or error")
      ->type_name("LEVEL");
  app.add_flag("--foreground", foreground, "Log to the terminal too");
  app.add_flag("--detached", options.detached, "Say \"ready\" on stderr once up, then only log");
  app.add_option("--create-overlay", new_overlay.name, "Found an overlay in this home, and end")
      ->type_name("NAME");
  app.add_flag("--open-overlay", new_overlay.open, "It is open: anybody may join")
      ->needs("--create-overlay");
  app.add_option("--overlay-schema", new_overlay.schema_file, "Its own schema")
      ->type_name("FILE")
      ->needs("--create-overlay");
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage;
  }
  ::unsetenv("BECKON_INVITE");  // it holds a secret, and no child needs it

  ::signal(SIGPIPE, SIG_IGN);
  forbid_core_dumps();
  options.log_to_terminal = !options.detached;
  options.version = config::version();
  if (!new_overlay.name.empty()) return make_overlay(options, new_overlay);
  auto ended = run_daemon(options);
  return ended ? 0 : complain(ended.error());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const CLI::Error& error) {  // CLI11 refuses how the flags are described
    fmt::print(stderr,
               "beckond: this build of Beckon does not fit its command line library ({}: {})\n",
               error.get_name(), error.what());
    return bug;
  }
}
