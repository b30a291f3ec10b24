// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <iostream>
#include <memory>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands/mail.h"
#include "cli/render/progress.h"
#include "cli/session/find_view.h"
#include "cli/session/session.h"
#include "cli/session/target.h"

namespace beckon::cli {

namespace {

constexpr std::size_t max_text = 64 * 1024;
constexpr std::size_t most_listed = 20;  // above that only numbers are told

struct Options {
  std::string target{};
  std::string text{};
  bool all = false;
  bool yes = false;
  bool wait = false;
  std::string timeout = "1m";
};

Result<std::string> read_text(const Options& options) {
  std::string text = options.text;
  if (text == "-") {  // one byte more than allowed is enough to know
    text.assign(max_text + 1, '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::cin.gcount()));
    if (!text.empty() && text.back() == '\n' && text.size() <= max_text) text.pop_back();
  }
  if (text.empty()) return invalid("the message is empty");
  if (text.size() > max_text) {
    return invalid(
        fmt::format("the message is too long: it holds at most {} bytes of text", max_text));
  }
  if (!is_utf8(text)) return invalid("the message is not UTF-8 text");
  return text;
}

std::string name_of(const Json& to) {
  std::string name = printable(to.value("name", ""), 80);
  return name.empty() ? printable(to.value("user", "").substr(0, 8)) : name;
}

void tell(const Json& to) {
  std::string state = to.value("state", "");
  std::string name = name_of(to);
  if (state == "delivered") fmt::print("Delivered to {}.\n", name);
  if (state == "kept") fmt::print("Kept for {}, who is away; it waits in their mailbox.\n", name);
  if (state == "refused") fmt::print("Refused by {}.\n", name);
  if (state == "unreachable")
    fmt::print("{} cannot be reached now; beckond keeps trying for 14 days.\n", name);
  if (state == "waiting")
    fmt::print("{} takes no more from you just now; beckond tries again soon.\n", name);
  if (state == "sending") fmt::print("Still on its way to {}.\n", name);
}

void print(const Json& reply) {
  const Json& to = reply["to"];
  if (to.size() <= most_listed) {
    for (const Json& one : to) tell(one);
  }
  if (to.size() <= 1) return;
  std::string line = fmt::format("{} people: {} delivered", to.size(), reply.value("delivered", 0));
  for (const char* state : {"kept", "refused", "unreachable", "waiting", "sending"}) {
    if (int count = reply.value(state, 0); count > 0) line += fmt::format(", {} {}", count, state);
  }
  fmt::print("{}.\n", line);
}

int exit_of(const Json& reply, bool wait) {
  std::size_t all = reply["to"].size();
  std::size_t good =
      reply.value("delivered", std::size_t{0}) + (wait ? 0 : reply.value("kept", std::size_t{0}));
  if (all > 0 && good == all)
    return reply.value("complete", true) ? exit_code::ok : exit_code::incomplete;
  if (good > 0) return exit_code::incomplete;
  return reply.value("refused", std::size_t{0}) == all ? exit_code::refused : exit_code::nothing;
}

/// Sends, with a progress line for groups; the last event's answer, or none with the failure told.
std::optional<Json> post(const Globals& globals, Session& session, const Json& body,
                         Duration timeout) {
  Progress progress(globals, "messages");
  std::optional<Json> reply;
  std::string problem;
  Call call{.method = "POST",
            .path = "/v1/messages",
            .query = acting_as(globals),
            .body = body.dump(),
            .timeout = timeout + std::chrono::minutes(1)};
  bool went = session.stream(call, [&](const ServerEvent& event) {
    auto json = json_or_null(event.data);
    if (!json.is_object()) return true;
    if (event.name == "progress") {
      std::uint64_t whole = json.value("to", std::uint64_t{0});
      std::uint64_t done =
          whole - json.value("sending", std::uint64_t{0}) - json.value("waiting", std::uint64_t{0});
      progress.done(done, done, whole);
    }
    if (event.name == "error") problem = json.value("detail", "the message was not sent");
    if (event.name == "done") reply = std::move(json);
    return !reply && problem.empty();
  });
  progress.clear();
  if (!went) return std::nullopt;
  if (!reply) {
    fail(globals, exit_code::nothing,
         problem.empty() ? "beckond has gone before it said what became of the message"
                         : printable(problem));
  }
  return reply;
}

/// How many people the daemon may write to without asking back.
std::size_t allowed(const TargetWord& target, const Options& options) {
  if (target.query.empty()) return target.names.size();
  if (!options.all) return 1;
  return options.yes ? std::size_t{1'000'000} : asks_above;
}

int refuse_many(const Globals& globals, const Options& options, std::size_t found) {
  if (!options.all) {
    return fail(
        globals, exit_code::usage, fmt::format("{} people fit; nothing was sent", found),
        "Say --all to write to all of them, or choose one: beckon find, then beckon send @1 ...");
  }
  return fail(globals, exit_code::usage, fmt::format("{} people fit; nothing was sent", found),
              "Say --yes to write to more than 5 people without being asked");
}

int send(const Globals& globals, const Options& options) {
  auto text = read_text(options);
  if (!text) return fail(globals, text.error());
  auto timeout = parse_duration(options.timeout);
  if (!timeout) return fail(globals, exit_code::usage, "--timeout: " + timeout.error().text);
  auto target = read_target(globals, options.target);
  if (!target) return fail(globals, target.error());
  std::size_t named = target->names.size();
  if (named > asks_above && !options.yes && !confirm(fmt::format("Write to {} people?", named))) {
    return refuse_many(globals, {.all = true}, named);
  }
  Json body{{"text", *text},
            {"most", allowed(*target, options)},
            {"wait", options.wait},
            {"timeout", options.timeout}};
  if (target->query.empty()) {
    body["to"] = json_or_null(target->to);
  } else {
    body["query"] = target->query;
  }
  Session session(globals);
  auto reply = post(globals, session, body, *timeout);
  if (!reply) return session.exit() != 0 ? session.exit() : exit_code::nothing;
  std::size_t found = reply->value("found", std::size_t{0});
  if ((*reply)["id"].is_null() && found > 0 && options.all &&
      confirm(fmt::format("{} people fit. Write to all of them?", found))) {
    body["most"] = 1'000'000;
    reply = post(globals, session, body, *timeout);
    if (!reply) return session.exit() != 0 ? session.exit() : exit_code::nothing;
    found = reply->value("found", std::size_t{0});
  }
  if ((*reply)["id"].is_null() && found > 0) return refuse_many(globals, options, found);
  if (globals.json) {
    fmt::print("{}\n", reply->dump());
  } else if (found > 0) {
    print(*reply);
  }
  std::size_t silent = reply->value("unconfirmed", std::size_t{0});
  if (found == 0) fmt::print(stderr, "Nobody fits; nothing was sent.\n");
  if (silent > 0 && !globals.quiet) {
    fmt::print(stderr,
               "{} may fit, but cannot be asked now. Who is away is reached by alias or User-ID.\n",
               counted(silent, "person", "people"));
  }
  return found == 0 ? exit_code::nothing : exit_of(*reply, options.wait);
}

}  // namespace

void add_send(Command app, Globals& globals) {
  Command command = app.add_subcommand("send", "Send a message to one person, several, or a group");
  auto options = std::make_shared<Options>();  // kept by the action
  command
      .add_option(
          "TARGET", options->target,
          "@N of the last find, an address, an alias, a User-ID (6 digits or more), a list of "
          "these "
          "with commas, or a query")
      .required()
      .type_name("");
  command.add_option("TEXT", options->text, "The text; - reads standard input")
      .required()
      .type_name("");
  command.add_flag("--all", options->all, "To everybody the query finds");
  command.add_flag("--yes", options->yes, "Do not ask before writing to more than 5 people");
  command.add_flag("--wait", options->wait, "Wait until it is delivered or refused");
  command.add_option("--timeout", options->timeout, "How long to wait").type_name("TIME");
  command.action(globals, [&globals, options] { return send(globals, *options); });
}

}  // namespace beckon::cli
