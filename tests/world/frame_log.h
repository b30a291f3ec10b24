// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/time.h"
#include "chord/frame.h"

namespace beckon::test {

/// Writes every frame of every simulated world of a program into the file that the environment
/// variable BECKON_FRAMES names: when, from, to, type, request number, digest of the body. Two runs
/// of the same tests can then be compared byte by byte: a change that is meant to keep behaviour
/// leaves the file as it was. Without the variable it does nothing.
void log_frame(Time when, const chord::Frame& frame, const std::string& from);

}  // namespace beckon::test
