// SPDX-License-Identifier: MIT
#include "cli/render/paint.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace beckon::cli {

namespace {

bool wanted(const Globals& globals, std::FILE* stream) {
  if (globals.color != "auto") return globals.color == "always";
  const char* terminal = std::getenv("TERM");
  bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !dumb && std::getenv("NO_COLOR") == nullptr && ::isatty(::fileno(stream)) == 1;
}

const char* code(Colour colour) {
  switch (colour) {
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::red:
      return "31";
    case Colour::grey:
      return "90";
    case Colour::bold:
      return "1";
  }
  return "0";
}

}  // namespace

std::string paint(const Globals& globals, Colour colour, const std::string& text,
                  std::FILE* stream) {
  if (!wanted(globals, stream)) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", code(colour), text);
}

}  // namespace beckon::cli
