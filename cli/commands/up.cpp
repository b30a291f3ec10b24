// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands/daemon.h"
#include "cli/render/ring_view.h"
#include "cli/session/launch.h"
#include "cli/session/session.h"

namespace beckon::cli {

namespace {

constexpr const char* invite_variable = "BECKON_INVITE";
constexpr Duration longest_wait = std::chrono::minutes(10);  // of one request to beckond

struct Options {
  std::string listen{};
  std::string advertise{};
  std::vector<std::string> join{};
  std::string invite{};
  bool create = false;
  bool foreground = false;
  // A ring whose nodes were all restarted at once begins anew after about half a minute.
  std::string timeout = "45s";
};

std::vector<std::string> arguments_for(const Globals& globals, const Options& options) {
  std::vector<std::string> out;
  auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) out.insert(out.end(), {flag, value});
  };
  add("--home", globals.home);
  add("--listen", options.listen);
  add("--advertise", options.advertise);
  for (const std::string& address : options.join) add("--join", address);
  if (options.create) out.emplace_back("--create");
  if (globals.verbose) out.insert(out.end(), {"--log-level", "debug"});
  return out;
}

std::string troubles(const Json& self) {
  std::string out;
  for (const Json& trouble : self["troubles"]) {
    out += fmt::format("  {}: {}\n", printable(trouble["address"].get<std::string>(), 80),
                       printable(trouble["error"].get<std::string>(), 300));
  }
  if (!out.empty()) out.pop_back();
  return out;
}

int tell_expelled(const Globals& globals) {
  return fail(globals, exit_code::nothing, "the overlay's authority has expelled this node",
              "To come back, ask for a new invite, then: beckon down; beckon up --invite STRING");
}

/// What was met at each address, and what to do.
int tell_not_joined(const Globals& globals, const Json& self) {
  if (self["state"] == "expelled") return tell_expelled(globals);
  bool had_peers = self.value("had_peers", false);
  std::string reasons = troubles(self);
  const Json& met = self["troubles"];
  bool turned_away = !met.empty() && std::all_of(met.begin(), met.end(), [](const Json& trouble) {
    return trouble.value("refused", false);
  });
  std::string message = had_peers
                            ? "not joined yet: none of the peers this node remembers lets it in"
                            : "cannot join: no peer lets this node in";
  if (!reasons.empty()) message += "\n" + reasons;
  if (had_peers) {
    return fail(globals, exit_code::nothing, message,
                "beckond goes on trying. See: beckon status. Another way in: beckon down, then "
                "beckon up --join "
                "HOST:PORT. To begin a new ring instead: beckon up --create");
  }
  Session session(globals);
  session.call({.method = "POST", .path = "/v1/leave"});
  auto paths = find_instance(globals);
  if (paths) wait_for_end(paths->lock_file());
  std::string hint =
      "Is a node up there? On its machine, beckon status tells its address and beckon overlay "
      "show its overlay. beckond was stopped again.";
  if (turned_away) hint = "beckond was stopped again.";  // each reason says what to do
  return fail(globals, exit_code::nothing, message, hint);
}

/// How others come in.
std::string welcome(const Json& overlay, const std::string& join) {
  if (overlay.value("admission", "") != "closed") return "Others join with: " + join;
  return overlay.value("authority_here", false)
             ? "The overlay is closed. For each newcomer: beckon overlay invite"
             : "The overlay is closed: newcomers need an invite from the node that founded it";
}

int tell_joined(const Globals& globals, const Json& self, const Json& status, const Json& overlay) {
  std::string listen = self["address"].text();
  std::string id = self["id"].text();
  const Json& ring = status["ring"];
  bool alone = ring_of_one(ring);
  std::string join = "beckon up --join " + listen;
  if (globals.json) {
    Json out{{"node", {{"id", id}, {"listen", listen}, {"state", self["state"]}}},
             {"founded", self["founded"]},
             {"alone", alone}};
    if (overlay.value("admission", "") != "closed") out["join"] = join;
    fmt::print("{}\n", out.dump());
    return exit_code::ok;
  }
  if (alone) {
    fmt::print("Up: node {} at {}, a ring of one.\n", id.substr(0, 8), printable(listen, 80));
    if (!globals.quiet) fmt::print(stderr, "{}\n", welcome(overlay, join));
  } else {
    fmt::print("Joined: node {} at {}, about {} nodes in the ring.\n", id.substr(0, 8),
               printable(listen, 80), std::max(2, ring["size_estimate"].get<int>()));
    if (!globals.quiet) fmt::print(stderr, "Next: beckon net ring\n");
  }
  return exit_code::ok;
}

/// Asks until the node has joined, or cannot, or `patience` is over.
std::optional<Json> wait_joined(Session& session, Duration patience) {
  using Clock = std::chrono::steady_clock;
  for (;;) {
    auto begin = Clock::now();
    Duration part = std::min(patience, longest_wait);
    auto self = session.call_json({.path = "/v1/net/self",
                                   .query = {{"_until", "joined"}, {"_timeout", to_text(part)}},
                                   .timeout = part + std::chrono::seconds(10)});
    bool cut_short = Clock::now() - begin >= part && patience > part;
    if (!self || (*self)["state"] != "joining" || !cut_short) return self;
    patience -= part;
  }
}

void tell_waiting(const Options& options, const Json& self, Duration rest) {
  std::string what =
      self.value("had_peers", false)
          ? "the peers this node remembers; if all of them have just started, the ring begins anew"
          : fmt::format(
                "{} to let this node in",
                fmt::join(options.join.empty() ? std::vector<std::string>{"the inviting node"}
                                               : options.join,
                          " or "));
  fmt::print(stderr, "Still joining: waiting for {} (up to {} more)\n", printable(what, 300),
             to_text(rest));
}

int wait_and_tell(const Globals& globals, const Options& options) {
  Session session(globals);
  Duration patience = *parse_duration(options.timeout);
  Duration silent = std::min(patience, Duration(std::chrono::seconds(5)));
  auto begin = std::chrono::steady_clock::now();
  auto self = wait_joined(session, silent);
  bool cut_short = std::chrono::steady_clock::now() - begin >= silent && patience > silent;
  if (self && (*self)["state"] == "joining" && cut_short) {
    if (!globals.quiet) tell_waiting(options, *self, patience - silent);
    self = wait_joined(session, patience - silent);
  }
  if (!self) return session.exit();
  if ((*self)["state"] != "joined") return tell_not_joined(globals, *self);
  auto status = session.call_json({.path = "/v1/status"});
  auto overlay = session.call_json({.path = "/v1/overlay"});
  if (!status || !overlay) return session.exit();
  return tell_joined(globals, *self, *status, *overlay);
}

/// True when a daemon answers for this home; that is told.
bool runs_already(const Globals& globals, const config::Paths& paths) {
  Client client(paths.socket().string());
  auto reply = client.send({.path = "/v1/net/self", .timeout = std::chrono::seconds(5)});
  if (!reply) return false;
  auto self = json_or_null(reply->body);
  std::string listen = self.is_object() ? self.value("address", "") : "";
  fail(globals, exit_code::nothing,
       fmt::format("beckond runs already for this home (at {}, socket {})", printable(listen, 80),
                   paths.socket().string()),
       "See: beckon status. Stop it: beckon down. A second node on this machine needs its own "
       "--home DIR");
  return true;
}

int up(const Globals& globals, const Options& options) {
  auto timeout = parse_duration(options.timeout);
  if (!timeout) return fail(globals, exit_code::usage, "--timeout: " + timeout.error().text);
  auto paths = find_instance(globals);
  if (!paths) return exit_code::usage;
  if (runs_already(globals, *paths)) return exit_code::nothing;
  auto beckond = find_program("beckond");
  if (!beckond) return fail(globals, beckond.error());
  auto arguments = arguments_for(globals, options);
  // Every user of the machine may read a process's arguments; its environment only its own user.
  if (!options.invite.empty()) ::setenv(invite_variable, options.invite.c_str(), 1);
  if (options.foreground) {
    arguments.emplace_back("--foreground");
    return fail(globals, become(*beckond, arguments));
  }
  arguments.emplace_back("--detached");
  auto launched = launch(*beckond, arguments);
  if (!launched) {
    bool usage = launched.error().code == ErrorCode::invalid;
    return fail(globals, usage ? exit_code::usage : exit_code::nothing, launched.error().text);
  }
  return wait_and_tell(globals, options);
}

}  // namespace

void add_up(Command app, Globals& globals) {
  auto options = std::make_shared<Options>();  // kept by the action
  Command command =
      app.add_subcommand("up", "Start this machine's node and join an overlay, or found one");
  command
      .add_option("--listen", options->listen,
                  "Where other nodes reach this one; port 0 picks a free one")
      .type_name("HOST:PORT");
  command
      .add_option("--advertise", options->advertise, "The address told to others, when it differs")
      .type_name("HOST:PORT");
  command.add_option("--join", options->join, "A node to join through; may be given several times")
      .type_name("HOST:PORT")
      .repeatable();
  command
      .add_option("--invite", options->invite,
                  "The string another node's `beckon overlay invite` printed")
      .type_name("STRING")
      .from_environment(invite_variable);
  command.add_flag("--create", options->create,
                   "Found a new ring even though peers are remembered");
  command.add_flag("--foreground", options->foreground, "Stay in this terminal and log to it");
  command.add_option("--timeout", options->timeout, "How long to wait for joining")
      .type_name("TIME");
  command.action(globals, [&globals, options] { return up(globals, *options); });
}

}  // namespace beckon::cli
