// SPDX-License-Identifier: MIT
#include "cli/args/globals.h"

#include <fmt/core.h>

#include <cstdio>

#include "base/json.h"

namespace beckon::cli {

namespace {

const char* code_name(int exit) {
  switch (exit) {
    case exit_code::nothing:
      return "nothing";
    case exit_code::usage:
      return "usage";
    case exit_code::no_daemon:
      return "no_daemon";
    case exit_code::incomplete:
      return "incomplete";
    case exit_code::refused:
      return "refused";
    default:
      return "bug";
  }
}

}  // namespace

int fail(const Globals& globals, int exit, const std::string& message, const std::string& hint) {
  if (globals.json) {
    Json error{{"code", code_name(exit)}, {"message", message}, {"hint", hint}};
    Json reply{{"error", error}};
    fmt::print("{}\n", reply.dump());
  }
  fmt::print(stderr, "beckon: {}\n", message);
  if (!hint.empty()) fmt::print(stderr, "{}\n", hint);
  return exit;
}

int fail(const Globals& globals, const Error& error) {
  int exit = error.code == ErrorCode::invalid   ? exit_code::usage
             : error.code == ErrorCode::refused ? exit_code::refused
                                                : exit_code::nothing;
  return fail(globals, exit, error.text);
}

}  // namespace beckon::cli
