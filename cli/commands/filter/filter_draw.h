// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cli/args/globals.h"

namespace beckon::cli {

/// The flags of `beckon filter draw`, as typed.
struct DrawArgs {
  std::string k{};
  std::string d{};
  std::string s{};
  std::string range{};
  std::string svg{};
};

/// Draws how a published range becomes positions: values, groups, the fresh positions of each
/// group, and which of them one value needs.
int run_draw(const Globals& globals, const DrawArgs& args);

}  // namespace beckon::cli
