// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/mail.h"
#include "cli/render/paint.h"
#include "cli/session/find_view.h"
#include "cli/session/session.h"
#include "cli/session/target.h"

namespace beckon::cli {

namespace {

struct Options {
  bool follow = false;
  bool requests = false;
  std::string id{};
};

std::string text(const Json& json, const char* name, std::size_t limit = 80) {
  return printable(json.value(name, std::string()), limit);
}

/// Every line of a stranger's text on a line of its own, indented, so that none poses as ours.
void print_text(const std::string& body) {
  for (std::size_t begin = 0; begin <= body.size();) {
    std::size_t end = std::min(body.find('\n', begin), body.size());
    fmt::print("    {}\n",
               printable(std::string_view(body).substr(begin, end - begin), 128 * 1024));
    begin = end + 1;
  }
}

void print_message(const Globals& globals, const Json& message) {
  const Json& from = message["from"];
  std::string name = text(from, "alias");
  if (name.empty()) name = text(from, "name");
  std::string time = text(message, "time");
  if (time.size() >= 16) time = time.substr(0, 10) + " " + time.substr(11, 5);
  std::string mark;
  if (message.value("request", false)) mark += "  request";
  if (message.value("group", false)) mark += "  group";
  if (message.value("unread", false)) mark += "  new";
  fmt::print("{:>4}  {}  {}  {}{}\n", text(message, "id"), time,
             paint(globals, Colour::bold, name.empty() ? "(no name)" : name, stdout),
             text(from, "id").substr(0, 8), mark);
  print_text(message.value("text", std::string()));
  if (message.value("cut", false)) fmt::print("    [...]\n");
}

void mark_read(const Globals& globals, const Json& messages) {
  std::string last;
  for (const Json& message : messages) {
    if (message.value("unread", false)) last = message.value("id", std::string());
  }
  if (last.empty()) return;
  Session session(globals);
  session.call({.method = "POST",
                .path = "/v1/messages/read",
                .query = acting_as(globals),
                .body = Json{{"upto", last}}.dump()});
}

int show_one(const Globals& globals, const std::string& id) {
  Session session(globals);
  auto reply =
      session.call_json({.path = "/v1/messages/" + path_segment(id), .query = acting_as(globals)});
  if (!reply) return session.exit();
  if (globals.json) {
    fmt::print("{}\n", reply->dump());
  } else {
    print_message(globals, *reply);
  }
  if (!reply->value("unread", false)) return exit_code::ok;
  session.call({.method = "POST",
                .path = "/v1/messages/read",
                .query = acting_as(globals),
                .body = Json{{"id", reply->value("id", "")}}.dump()});
  return session.exit();
}

void print_list(const Globals& globals, const Json& inbox, bool requests) {
  for (const Json& message : inbox[requests ? "requests" : "messages"])
    print_message(globals, message);
  if (globals.quiet) return;
  std::size_t waiting = inbox["requests"].size();
  if (requests && waiting > 0) {
    const Json& from = inbox["requests"].front()["from"];
    fmt::print(stderr, "Next: beckon contact accept {0}, or beckon contact block {0}\n",
               text(from, "id").substr(0, 8));
  } else if (requests) {
    fmt::print(stderr, "No requests.\n");
  } else if (waiting > 0) {
    fmt::print(stderr, "{} from people you do not know: beckon inbox --requests\n",
               counted(waiting, "request", "requests"));
  } else if (inbox["messages"].empty()) {
    fmt::print(stderr, "No messages.\n");
  }
}

std::optional<Json> fetch(const Globals& globals, Session& session, bool requests) {
  Query query = acting_as(globals);
  if (requests) query.emplace_back("requests", "1");
  return session.call_json({.path = "/v1/messages", .query = query});
}

int list(const Globals& globals, const Options& options) {
  Session session(globals);
  auto inbox = fetch(globals, session, options.requests);
  if (!inbox) return session.exit();
  if (globals.json) {
    fmt::print("{}\n", inbox->dump());
  } else {
    print_list(globals, *inbox, options.requests);
  }
  std::fflush(stdout);
  if (!options.requests) mark_read(globals, (*inbox)["messages"]);
  return exit_code::ok;
}

void print_call(const Json& call) {
  if (call.value("what", "") != "ringing") return;
  std::string id = text(call, "call").substr(0, 8);
  std::string name = call.contains("who") ? text(call["who"], "name") : "";
  fmt::print("{} calls{}.\n", name.empty() ? "Somebody" : name,
             call.value("group", false) ? " a group with you" : "");
  fmt::print(stderr, "Answer: beckon call --accept {0}   or: beckon call --decline {0}\n", id);
}

/// One thing that happened, while following.
void print_event(const Globals& globals, const std::string& user, const ServerEvent& event) {
  auto json = json_or_null(event.data);
  if (!json.is_object() || json.value("user", "") != user) return;
  if (globals.json) {
    Json line{{"event", event.name}};
    line.update(json);
    fmt::print("{}\n", line.dump());
  } else if (event.name == "message") {
    print_message(globals, json);
  } else {
    print_call(json);
  }
  std::fflush(stdout);
  if (event.name == "message" && !json.value("request", false))
    mark_read(globals, Json::array({json}));
}

/// What is new, then everything as it comes, until Ctrl-C. The stream goes on right behind the
/// list, so nothing falls between them; after a gap the list is read again.
int follow(const Globals& globals) {
  std::signal(SIGINT, [](int) { _exit(exit_code::interrupted); });
  while (true) {
    Session session(globals);
    auto inbox = fetch(globals, session, false);
    if (!inbox) return session.exit();
    for (const Json& message : (*inbox)["messages"]) {
      if (!message.value("unread", false)) continue;
      Json json = message;
      json["user"] = (*inbox)["user"];
      print_event(globals, (*inbox)["user"].text(), {.name = "message", .data = json.dump()});
    }
    if (!globals.json && !globals.quiet) fmt::print(stderr, "Waiting for messages and calls.\n");
    bool gap = false;
    Query query{{"_since", inbox->value("event", "0")}};
    bool went = session.stream(
        {.path = "/v1/events", .query = query, .timeout = std::chrono::hours(24 * 365)},
        [&](const ServerEvent& event) {
          gap = event.name == "gap";
          if (event.name == "message" || event.name == "call")
            print_event(globals, (*inbox)["user"].text(), event);
          return !gap;
        });
    if (!went) return session.exit();
    if (!gap) return fail(globals, exit_code::no_daemon, "beckond has gone", "Start it: beckon up");
  }
}

int inbox(const Globals& globals, const Options& options) {
  if (options.follow) return follow(globals);
  return options.id.empty() ? list(globals, options) : show_one(globals, options.id);
}

}  // namespace

void add_inbox(Command app, Globals& globals) {
  Command command = app.add_subcommand("inbox", "Messages you received");
  auto options = std::make_shared<Options>();  // kept by the action
  command.add_option("ID", options->id, "Show this one whole").type_name("");
  command.add_flag("--follow", options->follow, "Show messages and calls as they come");
  command.add_flag("--requests", options->requests, "From people you do not know");
  command.action(globals, [&globals, options] { return inbox(globals, *options); });
}

}  // namespace beckon::cli
