// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace beckon::cli {

/// The names of words that a command takes, such as K=V. CLI11 refuses '=' in them since 2.4 (2.1,
/// in Debian 12, takes it), so it gets another spelling, and what it prints is spelled back.
std::string spelled_for_cli11(std::string names);  // of a flag: as it is
std::string spelled_for_people(std::string text);  // help or a message of CLI11

}  // namespace beckon::cli
