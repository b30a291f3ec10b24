#pragma once

#include <CLI/App.hpp>

#include "cli/globals.h"

namespace beckon::cli {

/// Each adds its commands to the tree; the chosen one leaves its action in `globals`. One per file
/// in cli/commands/, so that CLI11's heavy headers stay in few translation units.
using Register = void (*)(CLI::App& app, Globals& globals);

}  // namespace beckon::cli
