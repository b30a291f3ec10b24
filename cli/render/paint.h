// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>

#include "cli/args/globals.h"

namespace beckon::cli {

enum class Colour { green, yellow, red, grey, bold };

/// The text in colour when --color says so, or, with auto, when `stream` is a terminal and NO_COLOR
/// is not set. The text must be printable already.
std::string paint(const Globals& globals, Colour colour, const std::string& text,
                  std::FILE* stream);

}  // namespace beckon::cli
