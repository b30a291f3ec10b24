// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace beckon {

/// What a line asks of the reader. error: a person must act. warning: something is wrong, and the
/// node handles it. info: a change of state that an operator asks about. debug: each link, each
/// verdict on a peer, each comparison.
enum class LogLevel : std::uint8_t { debug, info, warning, error };

const char* to_text(LogLevel level);

struct LogField {
  std::string name{};  // snake_case; the same name for the same thing in all lines
  std::string value{};
};
using LogFields = std::vector<LogField>;

/// One line for the log, produced as data by code that does no I/O and written by the driver. The
/// sentence is constant and names the kind of line; what varies (a peer, a reason, a number) stands
/// in fields. So lines can be searched, counted and limited by kind.
/// No line contains a word of a profile, a query or a letter, or text that a peer sent.
struct LogLine {
  LogLevel level = LogLevel::info;
  std::string text{};
  LogFields fields{};
};

/// The sentence, then name=value for each field; a value with other characters than letters, digits
/// and .:-_/+[]* is in double quotes, with \" and \\ inside (logfmt). Safe for a terminal.
std::string to_text(const LogLine& line);

}  // namespace beckon
