#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <chrono>
#include <thread>

#include "cli/commands/daemon.h"
#include "cli/session.h"

namespace beckon::cli {

namespace {

/// The daemon holds its lock file until its very end.
bool lock_is_free(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  bool free = ::flock(fd, LOCK_SH | LOCK_NB) == 0;
  ::close(fd);
  return free;
}

bool wait_for_end(const config::Paths& paths) {
  auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!lock_is_free(paths.lock_file().string())) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

int down(const Globals& globals) {
  auto paths = find_instance(globals);
  if (!paths) return exit_code::usage;
  Session session(globals);
  auto left =
      session.call({.method = "POST", .path = "/v1/leave", .timeout = std::chrono::seconds(30)});
  if (!left) return session.exit();
  if (!wait_for_end(*paths)) {
    return fail(globals, exit_code::nothing, "the node has left the ring, but beckond does not end",
                "See its log: " + paths->log_file().string());
  }
  fmt::print("{}\n",
             globals.json ? "{\"state\":\"left\"}" : "Handed over and left. beckond has ended.");
  return exit_code::ok;
}

}  // namespace

void add_down(CLI::App& app, Globals& globals) {
  auto* command =
      app.add_subcommand("down", "Hand over what this node keeps for others, leave, stop");
  command->callback([&globals] { globals.action = [&globals] { return down(globals); }; });
}

}  // namespace beckon::cli
