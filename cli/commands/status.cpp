// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands/daemon.h"
#include "cli/render/paint.h"
#include "cli/render/ring_view.h"
#include "cli/session/find_view.h"
#include "cli/session/session.h"

namespace beckon::cli {

namespace {

constexpr std::size_t max_users_shown = 5;

std::string brief(const Json& id) {
  return id.is_string() ? printable(id.get<std::string>().substr(0, 8)) : "none";
}

std::string state_text(const Globals& globals, const std::string& state) {
  return paint(globals, state == "joined" ? Colour::green : Colour::yellow, printable(state),
               stdout);
}

void print_users(const Json& users) {
  if (users.empty()) return;
  fmt::print("Users    {}\n", users.size());
  std::size_t shown = 0;
  for (const Json& user : users) {
    if (++shown > max_users_shown) {
      fmt::print("  and {} more: beckon profile list\n", users.size() - max_users_shown);
      return;
    }
    fmt::print("  {}  {}  {}\n", brief(user.value("id", Json())), printable(user.value("name", "")),
               user.value("published", false) ? "published" : "not published");
  }
}

void print_admission(const Json& status) {
  if (!status.contains("credential")) return;
  const Json& credential = status["credential"];
  if (credential.value("expelled", false)) {
    fmt::print("Expelled by the overlay's authority: no node of it answers this one any more\n");
    fmt::print(
        stderr,
        "To come back, ask for a new invite, then: beckon down; beckon up --invite STRING\n");
    return;
  }
  auto days = credential.value("left_s", std::int64_t{}) / 86400;
  std::string trouble = printable(credential.value("trouble", ""));
  if (trouble.empty()) {
    fmt::print("Admitted for {} days more; renewed by itself\n", days);
  } else {
    fmt::print("Admitted for {} days more; renewing fails: {}\n", days, trouble);
  }
}

void print_mail(const Json& status) {
  Json inbox = status.value("inbox", Json::object());
  int unread = inbox.value("unread", 0);
  int requests = inbox.value("requests", 0);
  if (unread + requests > 0)
    fmt::print("Inbox    {} unread, {} from people you do not know\n", unread,
               requests == 1 ? "1 request" : fmt::format("{} requests", requests));
  for (const Json& call : status.value("calls", Json::array())) {
    std::string state = printable(call.value("state", ""));
    fmt::print("Call     {} {}\n", brief(call.value("id", Json())), state);
    if (state == "ringing")
      fmt::print(stderr, "Answer: beckon call --accept {}\n", brief(call.value("id", Json())));
  }
}

std::string ring_text(const std::string& state, const Json& ring) {
  const Json& successors = ring["successors"];
  bool alone = ring_of_one(ring);
  if (state == "joining" && alone) return "not joined yet";
  if (state == "expelled") return "no longer part of it";
  if (alone && ring.value("degraded", false)) {
    return fmt::format("this node alone: none of the {} it knows answers; it goes on looking",
                       counted(ring.value("known_peers", std::uint64_t{1}), "peer", "peers"));
  }
  if (alone) return "this node alone";
  int size = ring["size_estimate"].get<int>();
  std::string more =
      successors.size() > 1 ? fmt::format(" and {} more", successors.size() - 1) : "";
  return fmt::format("about {} nodes; predecessor {}, successor {}{}", std::max(size, 2),
                     brief(ring["predecessor"]),
                     successors.empty() ? "none yet" : brief(successors[0]["id"]), more);
}

void print(const Globals& globals, const Json& status) {
  const Json& node = status["node"];
  std::string state = node["state"].text();
  fmt::print("Node     {} at {}, {}, up {}\n", brief(node["id"]),
             printable(node["listen"].get<std::string>()), state_text(globals, state),
             to_text(std::chrono::seconds(node.value("uptime_s", 0))));
  fmt::print("Ring     {}\n", ring_text(state, status["ring"]));
  print_admission(status);
  int next_schema = status.value("schema", Json::object()).value("next", 0);
  if (next_schema > 0)
    fmt::print("Schema   number {} has come; it is used from the next start of this node\n",
               next_schema);
  print_users(status["users"]);
  print_mail(status);
  std::string web = status.value("web", "");
  if (!web.empty()) fmt::print("Web      {}\n", printable(web));
}

/// Why it does not get in.
void print_troubles(Session& session) {
  auto self = session.call_json({.path = "/v1/net/self"});
  if (!self) return;
  for (const Json& trouble : self->value("troubles", Json::array())) {
    fmt::print("Trouble  {}: {}\n", printable(trouble.value("address", ""), 80),
               printable(trouble.value("error", ""), 300));
  }
}

int status(const Globals& globals) {
  Session session(globals);
  Call call{.path = "/v1/status"};
  if (globals.json) {
    auto body = session.call(call);
    if (body) fmt::print("{}", *body);
    return session.exit();
  }
  auto reply = session.call_json(call);
  if (!reply) return session.exit();
  print(globals, *reply);
  if ((*reply)["node"]["state"] == "joining") print_troubles(session);
  return session.exit();
}

}  // namespace

void add_status(Command app, Globals& globals) {
  Command command = app.add_subcommand("status", "This node, its place in the ring, its users");
  command.action(globals, [&globals] { return status(globals); });
}

}  // namespace beckon::cli
