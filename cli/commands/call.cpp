// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cstdio>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/mail.h"
#include "cli/session/session.h"
#include "cli/session/talk.h"
#include "cli/session/target.h"

namespace beckon::cli {

namespace {

struct Options {
  std::string target{};
  std::string accept{};
  std::string decline{};
  bool all = false;
  bool yes = false;
};

std::string name_of(const Json& member) {
  std::string name = printable(member.value("name", std::string()), 80);
  return name.empty() ? printable(member.value("id", std::string()).substr(0, 8)) : name;
}

/// Other ways to reach somebody, for a real telephone.
void print_ways(const Json& member) {
  if (!member.contains("ways")) return;
  for (const Json& way : member["ways"]) {
    if (way.is_string()) fmt::print(stderr, "  also: {}\n", printable(way.get<std::string>(), 200));
  }
}

int talk(const Globals& globals, const Json& call) {
  if (globals.json) {
    fmt::print("{}\n", call.dump());
    std::fflush(stdout);
  }
  Talk session(globals, call);
  return session.run();
}

int answer(const Globals& globals, const std::string& id, const char* action) {
  Session session(globals);
  auto reply = session.call_json({.method = "PATCH",
                                  .path = "/v1/calls/" + path_segment(id),
                                  .query = acting_as(globals),
                                  .body = Json{{"action", action}}.dump()});
  if (!reply) return session.exit();
  if (std::string_view(action) == "accept") {
    if (!globals.json && !globals.quiet)
      fmt::print(stderr, "You are in the call. Every line you type is sent; Ctrl-C hangs up.\n");
    return talk(globals, *reply);
  }
  if (globals.json) fmt::print("{}\n", reply->dump());
  if (!globals.json) fmt::print("Declined.\n");
  return exit_code::ok;
}

/// What the last find knew of those who are called.
void add_ways(Json& call, const std::map<std::string, std::vector<std::string>>& ways) {
  for (Json& member : call["members"]) {
    auto known = ways.find(member.value("id", std::string()));
    if (known != ways.end() && !member.contains("ways")) member["ways"] = known->second;
  }
}

int refuse_many(const Globals& globals, std::size_t found, bool all) {
  return fail(
      globals, exit_code::usage, fmt::format("{} people fit; nobody was called", found),
      all ? "Say --yes to call more than 5 people without being asked"
          : "Say --all to call all of them, or choose one: beckon find, then beckon call @1");
}

/// The daemon's answer to the invitation; none with the failure told and `exit` set.
std::optional<Json> invite(const Globals& globals, const Options& options, int& exit) {
  exit = exit_code::usage;
  auto target = read_target(globals, options.target);
  if (!target) {
    exit = fail(globals, target.error());
    return std::nullopt;
  }
  std::size_t named = target->names.size();
  bool sure = options.yes || named <= asks_above || confirm(fmt::format("Call {} people?", named));
  if (!sure) {
    exit = refuse_many(globals, named, true);
    return std::nullopt;
  }
  std::size_t most = !target->query.empty() && !options.all ? 1
                     : options.yes || named > 0             ? 63
                                                            : asks_above;
  Json body{{"most", most}};
  if (target->query.empty()) {
    body["to"] = json_or_null(target->to);
  } else {
    body["query"] = target->query;
  }
  Session session(globals);
  std::optional<Json> reply;
  for (int attempt = 0; attempt < 2; ++attempt) {
    reply = session.call_json(
        {.method = "POST", .path = "/v1/calls", .query = acting_as(globals), .body = body.dump()});
    exit = session.exit();
    if (reply && !(*reply)["id"].is_null()) add_ways(*reply, target->ways);
    if (!reply || !(*reply)["id"].is_null()) return reply;
    std::size_t found = reply->value("found", std::size_t{0});
    bool ask = found > 0 && options.all && attempt == 0;
    if (ask && confirm(fmt::format("{} people fit. Call all of them?", found))) {
      body["most"] = 63;
      continue;
    }
    exit = found > 0 ? refuse_many(globals, found, options.all)
                     : fail(globals, exit_code::nothing, "nobody fits; nobody was called");
    break;
  }
  return std::nullopt;
}

int call(const Globals& globals, const Options& options) {
  if (!options.accept.empty()) return answer(globals, options.accept, "accept");
  if (!options.decline.empty()) return answer(globals, options.decline, "decline");
  if (options.target.empty()) {
    return fail(globals, exit_code::usage, "say whom to call: beckon call TARGET",
                "Or answer a call: beckon call --accept ID, beckon call --decline ID");
  }
  int exit = exit_code::ok;
  auto reply = invite(globals, options, exit);
  if (!reply) return exit;
  if (!globals.json && !globals.quiet) {
    for (const Json& member : (*reply)["members"]) {
      fmt::print(stderr, "Calling {} ...\n", name_of(member));
      print_ways(member);
    }
  }
  return talk(globals, *reply);
}

}  // namespace

void add_call(Command app, Globals& globals) {
  Command command = app.add_subcommand("call", "Talk line by line with one person or a group");
  auto options = std::make_shared<Options>();  // kept by the action
  command
      .add_option(
          "TARGET", options->target,
          "@N of the last find, an address, an alias, a User-ID (6 digits or more), a list of "
          "these "
          "with commas, or a query")
      .type_name("");
  command.add_flag("--all", options->all, "Everybody the query finds, in one call");
  command.add_flag("--yes", options->yes, "Do not ask before calling more than 5 people");
  command.add_option("--accept", options->accept, "Answer this call").type_name("ID");
  command.add_option("--decline", options->decline, "Decline this call").type_name("ID");
  command.action(globals, [&globals, options] { return call(globals, *options); });
}

}  // namespace beckon::cli
