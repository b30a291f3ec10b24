// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/daemon.h"
#include "cli/render/render.h"
#include "cli/render/ring_view.h"
#include "cli/session/session.h"

namespace beckon::cli {

namespace {

using Print = int (*)(const Json&);

std::string text(const Json& value) {
  return value.is_string() ? printable(value.get<std::string>(), 200) : "none";
}
std::string brief(const Json& id) { return text(id).substr(0, 8); }
std::string milliseconds(const Json& value) {
  return value.is_number() ? fmt::format("{:.2f} ms", value.get<double>()) : "-";
}

int print_peers(const Json& reply) {
  Table table({{"NODE"}, {"ADDRESS"}, {"STATE"}, {"ROUND TRIP", Table::Align::right}, {"ROLES"}});
  for (const Json& peer : reply["peers"]) {
    std::string roles;
    for (const Json& role : peer["roles"]) roles += (roles.empty() ? "" : ", ") + text(role);
    std::string state = text(peer["state"]) + (peer.value("linked", false) ? ", linked" : "");
    table.add({brief(peer["id"]), text(peer["address"]), state, milliseconds(peer["round_trip_ms"]),
               roles});
  }
  fmt::print("{}", table.text());
  return exit_code::ok;
}

int print_ring(const Json& reply) {
  Table table({{"PLACE"}, {"NODE"}, {"ADDRESS"}});
  table.add({"predecessor", brief(reply["predecessor"]),
             text(reply.value("predecessor_address", Json()))});
  table.add({"self", brief(reply["self"]), text(reply.value("address", Json()))});
  int place = 0;
  for (const Json& peer : reply["successors"]) {
    table.add({fmt::format("successor {}", ++place), brief(peer["id"]), text(peer["address"])});
  }
  fmt::print("{}", table.text());
  std::string state = reply.value("state", "joined");
  if (state != "joined") {
    fmt::print(stderr, "This node is {}. See: beckon status\n",
               state == "joining" ? "still joining" : printable(state));
  } else if (reply["successors"].empty()) {
    bool looks = reply.value("degraded", false) || !ring_of_one(reply);
    fmt::print(stderr, "{}\n",
               !looks ? "This node is a ring of one."
               : ring_of_one(reply)
                   ? "This node is alone; it goes on looking for the peers it knows."
                   : "This node has no successor yet; it looks for one.");
  }
  return exit_code::ok;
}

int print_stats(const Json& reply) {
  Table table({{"NUMBER"}, {"VALUE", Table::Align::right}});
  for (const auto& [name, value] : reply.items()) table.add({printable(name), value.dump()});
  fmt::print("{}", table.text());
  return exit_code::ok;
}

int print_ping(const Json& reply) {
  if (!reply["round_trip_ms"].is_number()) {
    bool busy = reply.value("busy", false);
    fmt::print(stderr, "beckon: {} at {} {}\n", brief(reply["id"]), text(reply["address"]),
               busy ? "is there, but was pinged too often: wait a second" : "does not answer");
    return exit_code::nothing;
  }
  fmt::print("{} at {}: {}\n", brief(reply["id"]), text(reply["address"]),
             milliseconds(reply["round_trip_ms"]));
  return exit_code::ok;
}

int print_trace(const Json& reply) {
  int step = 0;
  for (const Json& id : reply["path"]) fmt::print("{:>2}  {}\n", ++step, brief(id));
  if (!reply["owner"].is_object()) {
    fmt::print(stderr, "beckon: no owner found for {} ({})\n", brief(reply["key"]),
               text(reply["outcome"]));
    return exit_code::nothing;
  }
  int asked = reply["contacts"].get<int>();
  fmt::print("Key {} belongs to {} at {}: {} {} asked, {}\n", brief(reply["key"]),
             brief(reply["owner"]["id"]), text(reply["owner"]["address"]), asked,
             asked == 1 ? "node" : "nodes", milliseconds(reply["elapsed_ms"]));
  return exit_code::ok;
}

bool answered(const Json& reply) {
  if (reply.contains("round_trip_ms")) return reply["round_trip_ms"].is_number();
  return !reply.contains("owner") || reply["owner"].is_object();
}

int show(const Globals& globals, const Call& call, Print print) {
  Session session(globals);
  auto reply = session.call_json(call);
  if (!reply) return session.exit();
  if (!globals.json) return print(*reply);
  fmt::print("{}\n", reply->dump());
  return answered(*reply) ? exit_code::ok : exit_code::nothing;
}

void add_view(Command net, Globals& globals, const char* name, const char* help, Print print) {
  Command command = net.add_subcommand(name, help);
  std::string path = std::string("/v1/net/") + name;
  command.action(globals, [&globals, path, print] { return show(globals, {.path = path}, print); });
}

void add_probe(Command net, Globals& globals, const char* name, const char* help,
               const char* parameter, const char* wanted, Print print) {
  Command command = net.add_subcommand(name, help);
  auto value = std::make_shared<std::string>();  // kept by the action
  command.add_option(wanted, *value, help).required().type_name("");
  std::string path = std::string("/v1/net/") + name;
  command.action(globals, [&globals, path, parameter, value, print] {
    return show(globals, {.path = path, .query = {{parameter, *value}}}, print);
  });
}

}  // namespace

void add_net(Command app, Globals& globals) {
  Command net = app.add_subcommand("net", "Look at the overlay from this node");
  net.require_subcommand();
  add_view(net, globals, "peers", "Every peer this node knows", print_peers);
  add_view(net, globals, "ring", "Neighbours on the ring", print_ring);
  add_view(net, globals, "stats", "Numbers since the start", print_stats);
  add_probe(net, globals, "ping", "Ask a node whether it is there: id, its beginning, or address",
            "node", "NODE", print_ping);
  add_probe(net, globals, "trace",
            "Find the node responsible for a key (40 digits, or its first 8 or more) or a text",
            "key", "KEY", print_trace);
}

}  // namespace beckon::cli
