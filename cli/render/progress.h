// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/args/globals.h"

namespace beckon::cli {

/// One line on the terminal that tells how far long work has come: "12 345 678 lines, 3.1 M/s,
/// 45 %, 12 s left". Silent unless stderr is a terminal, and with --quiet or --json. Call done()
/// from time to time; it looks at the clock rarely and writes five times a second at most.
class Progress {
 public:
  Progress(const Globals& globals, std::string unit);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `part` and `whole` in any unit, for the share; whole 0 means unknown.
  void done(std::uint64_t count, std::uint64_t part = 0, std::uint64_t whole = 0);
  void clear();  // takes the line away again

 private:
  std::string unit_;
  bool on_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

/// Digits in groups of three: 12 345 678.
std::string grouped(std::uint64_t number);
/// "1 line", "2 lines", "12 345 lines".
std::string counted(std::uint64_t number, std::string_view what);

}  // namespace beckon::cli
