// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/mail.h"
#include "cli/render/render.h"
#include "cli/session/find_view.h"
#include "cli/session/session.h"
#include "cli/session/target.h"

namespace beckon::cli {

namespace {

struct Options {
  std::string who{};
  std::string alias{};
  std::string policy{};
};

std::string text(const Json& json, const char* name) {
  return printable(json.value(name, std::string()), 80);
}

int list(const Globals& globals) {
  Session session(globals);
  auto reply = session.call_json({.path = "/v1/contacts", .query = acting_as(globals)});
  if (!reply) return session.exit();
  if (globals.json) {
    fmt::print("{}\n", reply->dump());
    return exit_code::ok;
  }
  Table table({{"ALIAS"}, {"NAME"}, {"USER"}, {"STANDING"}});
  for (const Json& contact : (*reply)["contacts"]) {
    table.add({text(contact, "alias"), text(contact, "name"), text(contact, "id").substr(0, 8),
               text(contact, "standing")});
  }
  if (!(*reply)["contacts"].empty()) fmt::print("{}", table.text());
  fmt::print(stderr, "{}. Strangers may write to you: {}.\n",
             counted((*reply)["contacts"].size(), "contact", "contacts"),
             text(*reply, "policy") == "everyone" ? "yes, their messages wait in requests" : "no");
  return exit_code::ok;
}

/// What the API is to change, and what is said when it is done.
struct Deed {
  const char* standing = nullptr;
  const char* done = nullptr;
};

int put(const Globals& globals, const Options& options, const Deed& deed) {
  auto target = read_target(globals, options.who);
  if (!target) return fail(globals, target.error());
  if (!target->query.empty() || target->names.size() != 1)
    return fail(globals, exit_code::usage,
                "WHO must be one person: @N, an address, an alias or a User-ID");
  const Json who = json_or_null(target->to).front();
  Json body = who.is_object() ? who : Json::object();
  if (deed.standing != nullptr) body["standing"] = deed.standing;
  if (!options.alias.empty()) body["alias"] = options.alias;
  if (!body.is_utf8()) return fail(globals, exit_code::usage, "the alias is not UTF-8");
  std::string name = who.is_string() ? who.get<std::string>() : std::string("found");
  Session session(globals);
  auto reply = session.call_json({.method = "PUT",
                                  .path = "/v1/contacts/" + path_segment(name),
                                  .query = acting_as(globals),
                                  .body = body.dump()});
  if (!reply) return session.exit();
  if (globals.json) {
    fmt::print("{}\n", reply->dump());
    return exit_code::ok;
  }
  std::string shown = text(*reply, "name");
  if (shown.empty()) shown = text(*reply, "id").substr(0, 8);
  std::string alias = text(*reply, "alias");
  fmt::print("{} {}{}.\n", shown, deed.done, alias.empty() ? "" : ", alias " + alias);
  return exit_code::ok;
}

int policy(const Globals& globals, const Options& options) {
  Session session(globals);
  Call call{.path = "/v1/policy", .query = acting_as(globals)};
  if (!options.policy.empty()) {
    call.method = "PUT";
    call.body = Json{{"policy", options.policy}}.dump();
  }
  auto reply = session.call_json(call);
  if (!reply) return session.exit();
  fmt::print("{}\n", globals.json ? reply->dump() : text(*reply, "policy"));
  return exit_code::ok;
}

void add_deed(Command contact, Globals& globals, const char* name, const char* help,
              const Deed& deed, bool alias_required) {
  Command command = contact.add_subcommand(name, help);
  auto options = std::make_shared<Options>();  // kept by the action
  command
      .add_option("WHO", options->who,
                  "@N of the last find, an address, an alias, or a User-ID (6 digits or more)")
      .required()
      .type_name("");
  Argument alias = command.add_option("ALIAS", options->alias, "A short name for them");
  alias.type_name("");
  if (alias_required) alias.required();
  command.action(globals, [&globals, options, deed] { return put(globals, *options, deed); });
}

}  // namespace

void add_contact(Command app, Globals& globals) {
  Command contact = app.add_subcommand("contact", "People you know, and who may write to you");
  contact.require_subcommand();
  Command all = contact.add_subcommand("list", "Everybody you wrote to, accepted or blocked");
  all.action(globals, [&globals] { return list(globals); });
  add_deed(contact, globals, "add", "Note somebody by an address they gave you, before any message",
           {.standing = "accepted", .done = "is a contact now"}, false);
  add_deed(contact, globals, "accept", "Let somebody write and call; shows what waits in requests",
           {.standing = "accepted", .done = "is accepted"}, false);
  add_deed(contact, globals, "block", "Show nothing of somebody any more; they are not told",
           {.standing = "blocked", .done = "is blocked"}, false);
  add_deed(contact, globals, "name", "Give somebody an alias", {.done = "has a name now"}, true);
  Command who = contact.add_subcommand("policy", "Who may reach you: everyone, contacts or nobody");
  auto options = std::make_shared<Options>();  // kept by the action
  who.add_option("POLICY", options->policy, "everyone, contacts or nobody; none shows it")
      .type_name("");
  who.action(globals, [&globals, options] { return policy(globals, *options); });
}

}  // namespace beckon::cli
