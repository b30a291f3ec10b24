// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace beckon {

struct DaemonOptions {
  std::string home{};
  std::string listen{};  // empty: as configured
  std::string advertise{};
  std::vector<std::string> join{};
  std::string invite{};
  bool create = false;
  std::string log_level{};
  bool detached = false;  // started by `beckon up`, which waits for "ready" on stderr
  bool log_to_terminal = false;
  std::string version{};
};

/// The life of one node: locks the home, reads what it holds, joins, serves until told to leave
/// (SIGTERM, SIGINT, SIGHUP or the API). Whatever stops it from starting is said in a sentence with
/// the cure.
Result<void> run_daemon(const DaemonOptions& options);

struct WantedOverlay {
  std::string name{};
  bool open = false;
  std::string schema_file{};  // empty: the built-in schema
};
struct MadeOverlay {
  std::string name{};
  std::string id{};
  std::string authority{};
};
Result<MadeOverlay> found_overlay(const DaemonOptions& options, const WantedOverlay& wanted);

}  // namespace beckon
