#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace beckon {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// One line for the log, produced as data by code that does no I/O and written by the driver.
/// Text from peers or users must pass through printable() before it becomes part of a line.
struct LogLine {
  LogLevel level = LogLevel::info;
  std::string text{};
};

/// The same text with control characters and broken UTF-8 shown as \xNN, cut at `limit` bytes:
/// safe for a terminal and for a log that is read line by line.
std::string printable(std::string_view text, std::size_t limit = 4096);

}  // namespace beckon
