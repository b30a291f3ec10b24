// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cli/args/globals.h"

namespace beckon::cli {

/// The flags of `beckon filter compare`, as typed.
struct CompareArgs {
  std::string bits{};
  std::string scope{};
  std::string widths{};
  std::string k{};
  std::string svg{};
  std::string plot = "rate";
};

int run_compare(const Globals& globals, const CompareArgs& args);

}  // namespace beckon::cli
