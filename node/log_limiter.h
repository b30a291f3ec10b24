// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/time.h"

namespace beckon {

/// Keeps a flood of lines of one kind (level and sentence) from filling the log. Of each kind so
/// many lines pass in a window that begins with the first; the others are counted, and the count is
/// told when the window is over.
class LogLimiter {
 public:
  struct Options {
    std::size_t lines = 30;
    std::size_t debug_lines = 600;
    Duration window = std::chrono::minutes(1);
    std::size_t kinds = 256;  // counted apart; further ones share one count
  };
  explicit LogLimiter(Options options) : options_(options) {}

  bool admit(const LogLine& line, Time now);
  /// "N more like this were not logged", for the windows that are over; with Time::max() for all.
  std::vector<LogLine> left_out(Time now);

 private:
  struct Window {
    LogLevel level{};
    Time begun{};
    std::size_t written{};
    std::uint64_t left_out{};
  };
  Options options_;
  std::map<std::string, Window> windows_{};  // by level and sentence
};

}  // namespace beckon
