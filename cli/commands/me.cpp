// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/people.h"
#include "cli/render/qr.h"
#include "cli/session/session.h"
#include "cli/session/target.h"

namespace beckon::cli {

namespace {

struct Options {
  bool qr = false;
  std::string svg{};
};

int write_svg(const Globals& globals, const std::string& path, const QrCode& code) {
  std::ofstream out(path);
  out << code.svg();
  out.close();
  if (!out) return fail(globals, exit_code::nothing, "cannot write " + printable(path, 200));
  if (!globals.quiet)
    fmt::print(stderr, "Wrote the code as a picture to {}\n", printable(path, 200));
  return exit_code::ok;
}

const char* next_step(bool published) {
  return published
             ? "Give this address away. Others write to you with: beckon send ADDRESS \"hello\""
             : "Nobody reaches you by it before you have published. Next: beckon profile publish";
}

int me(const Globals& globals, const Options& options) {
  Session session(globals);
  auto reply = session.call_json({.path = "/v1/profile", .query = acting_as(globals)});
  if (!reply) return session.exit();
  std::string address = reply->value("address", "");
  auto code = QrCode::of(address);
  if (!code) return fail(globals, code.error());
  if (globals.json) {
    fmt::print("{}\n", Json{{"user", (*reply)["user"]},
                            {"name", (*reply)["name"]},
                            {"address", address},
                            {"published", (*reply)["published"]}}
                           .dump());
  } else {
    std::string name = printable(reply->value("name", ""), 80);
    if (!name.empty()) fmt::print("{}\n", name);
    fmt::print("{}\n", address);
    if (options.qr || isatty(STDOUT_FILENO) == 1) fmt::print("{}", code->terminal_text());
    std::fflush(stdout);
    if (!globals.quiet) fmt::print(stderr, "{}\n", next_step((*reply)["published"] == true));
  }
  return options.svg.empty() ? exit_code::ok : write_svg(globals, options.svg, *code);
}

}  // namespace

void add_me(Command app, Globals& globals) {
  Command command = app.add_subcommand("me", "Your address to give away, also as a QR code");
  auto options = std::make_shared<Options>();  // kept by the action
  command.add_flag("--qr", options->qr, "Draw the code although this is no terminal");
  command.add_option("--svg", options->svg, "Write the code as a picture").type_name("FILE");
  command.action(globals, [&globals, options] { return me(globals, *options); });
}

}  // namespace beckon::cli
