// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/daemon.h"
#include "cli/session/launch.h"
#include "cli/session/session.h"
#include "config/address.h"
#include "profile/schema/schema_json.h"

namespace beckon::cli {

namespace {

std::string field(const Json& json, const char* name) { return printable(json.value(name, "")); }

std::string schema_text(const Json& schema) {
  std::string kind = field(schema, "kind");
  std::string out = fmt::format("{}, number {}", kind == "built-in" ? kind : "the overlay's own",
                                schema.value("number", 0));
  if (kind == "fixed") out += "; it cannot grow, as the overlay has no authority";
  int next = schema.value("next", 0);
  if (next > 0) out += fmt::format("; number {} is used from the next start of this node", next);
  return out;
}

int show(const Globals& globals) {
  Session session(globals);
  auto overlay = session.call_json({.path = "/v1/overlay"});
  if (!overlay) return session.exit();
  if (globals.json) {
    fmt::print("{}\n", overlay->dump());
    return exit_code::ok;
  }
  fmt::print("Overlay  {}\nAdmits   {}\nId       {}\n", field(*overlay, "name"),
             overlay->value("admission", "") == "open" ? "anybody who reaches a node of it"
                                                       : "holders of a credential of its authority",
             field(*overlay, "id"));
  fmt::print("Schema   {}\n", schema_text(overlay->value("schema", Json::object())));
  if (!overlay->value("authority_here", false)) return exit_code::ok;
  if (overlay->value("admission", "") == "open") {
    fmt::print("This node holds the authority's key\n");
    return exit_code::ok;
  }
  int invites = overlay->value("open_invites", 0);
  fmt::print("Members  {}, {} {} open; this node holds the authority's key\n",
             (*overlay)["members"].size(), invites, invites == 1 ? "invite" : "invites");
  for (const Json& member : (*overlay)["members"]) fmt::print("  {}\n", field(member, "id"));
  return exit_code::ok;
}

struct NewOverlay {
  std::string name{};
  bool open = false;
  std::string schema{};
};

/// Needs no running node: beckond makes the files and ends.
int create(const Globals& globals, const NewOverlay& wanted) {
  auto beckond = find_program("beckond");
  if (!beckond) return fail(globals, beckond.error());
  std::vector<std::string> arguments{"--create-overlay", wanted.name};
  if (wanted.open) arguments.emplace_back("--open-overlay");
  if (!wanted.schema.empty())
    arguments.insert(arguments.end(), {"--overlay-schema", wanted.schema});
  if (!globals.home.empty()) arguments.insert(arguments.end(), {"--home", globals.home});
  auto output = run(*beckond, arguments);
  if (!output) return fail(globals, exit_code::nothing, output.error().text);
  auto made = json_or_null(*output);
  if (!made.is_object()) return fail(globals, exit_code::bug, "beckond's answer is not JSON");
  if (globals.json) {
    fmt::print("{}\n", made.dump());
    return exit_code::ok;
  }
  fmt::print("{} overlay {}, id {}\n", wanted.open ? "Open" : "Closed", field(made, "name"),
             field(made, "id").substr(0, 16));
  if (!globals.quiet) {
    fmt::print(stderr,
               "Its authority's key is in {}. Keep a copy in a safe place.\nNext: beckon up, then "
               "beckon overlay invite\n",
               field(made, "authority"));
  }
  return exit_code::ok;
}

int invite(const Globals& globals) {
  Session session(globals);
  auto made = session.call_json({.method = "POST", .path = "/v1/overlay/invites"});
  if (!made) return session.exit();
  if (globals.json) {
    fmt::print("{}\n", made->dump());
    return exit_code::ok;
  }
  fmt::print("{}\n", field(*made, "invite"));
  if (!globals.quiet) {
    fmt::print(stderr, "{}\nThe other side says: beckon up --invite STRING\n",
               made->value("once", false)
                   ? "Good for one newcomer, once; who has it may join. Send it by a safe way."
                   : "Good for anybody.");
    const Json addresses = made->value("addresses", Json::array());
    bool here_only = std::all_of(addresses.begin(), addresses.end(), [](const Json& address) {
      return config::is_loopback(address.get<std::string>());
    });
    if (here_only) {
      fmt::print(
          stderr,
          "It works on this machine only: this node listens at {}. For others, start it with "
          "--listen 0.0.0.0:PORT\n",
          printable(addresses.empty() ? "" : addresses.front().get<std::string>(), 80));
    }
  }
  return exit_code::ok;
}

int revoke(const Globals& globals, const std::string& node) {
  Session session(globals);
  auto done = session.call_json(
      {.method = "POST", .path = "/v1/overlay/revocations", .body = Json{{"node", node}}.dump()});
  if (!done) return session.exit();
  if (globals.json) {
    fmt::print("{}\n", done->dump());
  } else {
    fmt::print("Expelled {}. Every node that hears of it drops the link.\n", field(*done, "node"));
  }
  return exit_code::ok;
}

Result<std::string> read_schema(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) return invalid(fmt::format("cannot read {}", printable(name, 200)));
  auto schema = profile::parse_schema(text);
  if (!schema) return invalid(fmt::format("{}: {}", printable(name, 200), schema.error().text));
  return profile::schema_json(*schema);
}

int grow_schema(const Globals& globals, const std::string& name) {
  auto text = read_schema(name);
  if (!text) return fail(globals, text.error());
  Session session(globals);
  auto done = session.call_json({.method = "POST", .path = "/v1/overlay/schema", .body = *text});
  if (!done) return session.exit();
  if (globals.json) {
    fmt::print("{}\n", done->dump());
    return exit_code::ok;
  }
  fmt::print("Schema {} is signed and on its way to all nodes.\n", done->value("next", 0));
  if (!globals.quiet) {
    fmt::print(
        stderr,
        "Each node uses it from its next start; this one too: beckon down, then beckon up\n");
  }
  return exit_code::ok;
}

}  // namespace

void add_overlay(Command app, Globals& globals) {
  Command command =
      app.add_subcommand("overlay", "The overlay this node takes part in; who may join it");
  command.require_subcommand();
  auto word = std::make_shared<std::string>();  // kept by the actions
  command.add_subcommand("show", "Name, admission, members").action(globals, [&globals] {
    return show(globals);
  });
  auto wanted = std::make_shared<NewOverlay>();
  Command create_command =
      command.add_subcommand("create", "Found a closed overlay whose authority is this node");
  create_command.add_option("NAME", wanted->name, "Its name: a-z, 0-9, - . _")
      .required()
      .type_name("");
  create_command.add_option("--schema", wanted->schema, "Its own attributes, which may grow later")
      .type_name("FILE");
  create_command.add_flag("--open", wanted->open, "Anybody may join; the authority signs schemas");
  create_command.action(globals, [&globals, wanted] { return create(globals, *wanted); });
  Command schema_command = command.add_subcommand(
      "schema", "Give the overlay a newer schema that extends the present one");
  schema_command.add_option("FILE", *word, "The whole schema, with a greater number")
      .required()
      .type_name("");
  schema_command.action(globals, [&globals, word] { return grow_schema(globals, *word); });
  command.add_subcommand("invite", "Print a string that lets one newcomer join")
      .action(globals, [&globals] { return invite(globals); });
  Command revoke_command = command.add_subcommand("revoke", "Expel a node from a closed overlay");
  revoke_command.add_option("NODE", *word, "Its id, or the beginning of it")
      .required()
      .type_name("");
  revoke_command.action(globals, [&globals, word] { return revoke(globals, *word); });
}

}  // namespace beckon::cli
