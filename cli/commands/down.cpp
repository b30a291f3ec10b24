#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/commands/daemon.h"
#include "cli/launch.h"
#include "cli/session.h"

namespace beckon::cli {

namespace {

int down(const Globals& globals) {
  auto paths = find_instance(globals);
  if (!paths) return exit_code::usage;
  Session session(globals);
  auto status = session.call_json({.path = "/v1/status"});
  if (!status) return session.exit();
  bool joined = (*status)["node"].value("state", "") == "joined";
  bool alone = joined && (*status)["ring"]["successors"].empty();
  auto left =
      session.call({.method = "POST", .path = "/v1/leave", .timeout = std::chrono::seconds(30)});
  if (!left) return session.exit();
  if (!wait_for_end(paths->lock_file())) {
    return fail(globals, exit_code::nothing, "the node has left the ring, but beckond does not end",
                "See its log: " + paths->log_file().string());
  }
  if (globals.json) {
    fmt::print("{}\n",
               nlohmann::ordered_json{{"state", "left"}, {"handed_over", joined && !alone}}.dump());
  } else {
    fmt::print("{} beckond has ended.\n", alone    ? "Left a ring of one."
                                          : joined ? "Handed over and left."
                                                   : "It had not joined; nothing to hand over.");
  }
  return exit_code::ok;
}

}  // namespace

void add_down(Command app, Globals& globals) {
  Command command =
      app.add_subcommand("down", "Hand over what this node keeps for others, leave, stop");
  command.action(globals, [&globals] { return down(globals); });
}

}  // namespace beckon::cli
