// SPDX-License-Identifier: MIT
#include "cli/session/session.h"

#include <fmt/core.h>

#include "base/json.h"
#include "base/text.h"

namespace beckon::cli {

namespace {

int exit_of(int status) {
  if (status == 400 || status == 422) return exit_code::usage;
  if (status == 403) return exit_code::refused;
  return exit_code::nothing;
}

/// The lines of a drawing, each below the one before; safe for a terminal.
std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    out += "\n" + printable(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// What problem+json says, or the bare status when the body is something else.
int tell_problem(const Globals& globals, const Reply& reply) {
  auto problem = json_or_null(reply.body);
  std::string detail = fmt::format("beckond answered with status {}", reply.status);
  std::string hint;
  std::string picture;
  if (problem.is_object()) {
    detail = problem.value("detail", detail);
    hint = problem.value("hint", "");
    picture = printable_lines(problem.value("picture", ""));
  }
  return fail(globals, exit_of(reply.status), printable(detail) + picture, printable(hint));
}

}  // namespace

int tell_no_daemon(const Globals& globals, const std::string& socket_path) {
  std::string message = fmt::format("beckond is not running (no socket at {}).", socket_path);
  if (globals.json) {
    Json error{{"code", "no_daemon"}, {"message", message}, {"hint", "Start it: beckon up"}};
    fmt::print("{}\n", Json{{"error", error}}.dump());
  }
  fmt::print(stderr, "{} Start it: beckon up\n", message);
  return exit_code::no_daemon;
}

std::optional<config::Paths> find_instance(const Globals& globals) {
  auto paths = config::find_paths(globals.home, config::process_environment);
  if (paths) return *paths;
  fail(globals, paths.error());
  return std::nullopt;
}

Session::Session(const Globals& globals) : globals_(globals) {}

bool Session::find() {
  if (client_) return true;
  auto paths = find_instance(globals_);
  if (!paths) exit_ = exit_code::usage;
  if (paths) client_.emplace(paths->socket().string());
  return client_.has_value();
}

bool Session::judge(const Result<Reply>& reply) {
  if (reply && reply->status >= 200 && reply->status < 300) return true;
  if (reply) {
    exit_ = tell_problem(globals_, *reply);
  } else if (reply.error().code == ErrorCode::unavailable) {
    exit_ = tell_no_daemon(globals_, client_->socket_path());
  } else {
    exit_ = fail(globals_, exit_code::nothing, reply.error().text);
  }
  return false;
}

std::optional<std::string> Session::call(const Call& call) {
  if (!find()) return std::nullopt;
  auto reply = client_->send(call);
  if (!judge(reply)) return std::nullopt;
  return std::move(reply->body);
}

std::optional<Json> Session::call_json(const Call& request) {
  auto body = call(request);
  if (!body) return std::nullopt;
  auto json = json_or_null(*body);
  if (!json.is_null()) return json;
  exit_ = fail(globals_, exit_code::bug, "beckond's answer is not JSON");
  return std::nullopt;
}

bool Session::stream(const Call& call, const std::function<bool(const ServerEvent&)>& on_event) {
  return find() && judge(client_->stream(call, on_event));
}

}  // namespace beckon::cli
