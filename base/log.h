#pragma once

#include <cstdint>
#include <string>

namespace beckon {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// One line for the log, produced as data by code that does no I/O and written by the driver.
/// Text from peers or users must pass through printable() (base/text.h) before it becomes part of
/// a line.
struct LogLine {
  LogLevel level = LogLevel::info;
  std::string text{};
};

}  // namespace beckon
