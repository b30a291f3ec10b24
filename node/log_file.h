// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "node/log_limiter.h"

namespace beckon {

/// beckond's log: a file that is turned over before it grows large, and the terminal when the node
/// stays in the foreground. Of one kind of line only so many a minute are written (LogLimiter).
class LogFile {
 public:
  struct Options {
    std::size_t file_bytes = 4 * 1024 * 1024;
    std::size_t old_files = 3;
    LogLevel level = LogLevel::info;
    bool to_terminal = false;
    bool terminal_is_journal = false;  // systemd's: it wants <priority> and has a clock itself
    LogLimiter::Options limits{};
    Time (*now)() = nullptr;  // for the limits; none: the system's monotonic clock
  };

  static Result<std::unique_ptr<LogFile>> open(const std::string& path, const Options& options);
  ~LogFile();
  void write(const LogLine& line);
  void tell_left_out();  // to be called now and then: counts of lines that were not written
  void set_level(LogLevel level);  // at once, and tells so
  LogLevel level() const;
  /// From now on what the process says on stderr goes into the file, also after it was turned over:
  /// the last words of a process that ends by a bug are said there.
  void take_stderr();

  class Impl;
  explicit LogFile(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

Result<LogLevel> parse_level(const std::string& text);

}  // namespace beckon
