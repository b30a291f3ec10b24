// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "base/json.h"
#include "cli/commands/daemon.h"
#include "cli/render/ring_view.h"
#include "cli/session/launch.h"
#include "cli/session/session.h"

namespace beckon::cli {

namespace {

struct Parting {
  std::string state{};  // before
  bool alone = false;
  bool handed_over = false;
};

std::string sentence(const Parting& parting) {
  if (parting.state == "expelled")
    return "It was expelled, so nobody took over what it kept for others.";
  if (parting.state == "joining" || parting.state == "idle")
    return "It had not joined; nothing to hand over.";
  if (parting.alone) return "Left a ring of one.";
  if (parting.handed_over) return "Handed over and left.";
  return "Left, but not every record was handed over; this home keeps them for the next start.";
}

int down(const Globals& globals) {
  auto paths = find_instance(globals);
  if (!paths) return exit_code::usage;
  Session session(globals);
  auto status = session.call_json({.path = "/v1/status"});
  if (!status) return session.exit();
  Parting parting{.state = (*status)["node"].value("state", ""),
                  .alone = ring_of_one((*status)["ring"])};
  auto left = session.call_json(
      {.method = "POST", .path = "/v1/leave", .timeout = std::chrono::seconds(30)});
  if (!left) return session.exit();
  parting.handed_over = left->value("handed_over", false);
  if (!wait_for_end(paths->lock_file())) {
    return fail(globals, exit_code::nothing, "the node has left the ring, but beckond does not end",
                "See its log: " + paths->log_file().string());
  }
  if (globals.json) {
    fmt::print("{}\n", Json{{"state", "left"}, {"handed_over", parting.handed_over}}.dump());
  } else {
    fmt::print("{} beckond has ended.\n", sentence(parting));
  }
  bool lacking = parting.state == "joined" && !parting.alone && !parting.handed_over;
  return lacking ? exit_code::incomplete : exit_code::ok;
}

}  // namespace

void add_down(Command app, Globals& globals) {
  Command command =
      app.add_subcommand("down", "Hand over what this node keeps for others, leave, stop");
  command.action(globals, [&globals] { return down(globals); });
}

}  // namespace beckon::cli
