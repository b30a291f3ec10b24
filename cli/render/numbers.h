// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace beckon::cli {

/// Readers of numbers as people write them in flags. An error is one sentence that begins with
/// `what` (the flag, or the part of it), says what was wanted and what was found.

struct Whole {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

Result<std::int64_t> read_whole(const std::string& what, std::string_view text, Whole limits);
Result<double> read_weight(const std::string& what, std::string_view text);  // finite, 0 or more

/// "A..B" with A <= B, both within the limits; "A" alone when `single` is allowed.
enum class Span { range_only, single_too };
Result<Whole> read_span(const std::string& what, std::string_view text, Whole limits, Span kind);

/// Cuts at the first `separator`; the second part is empty without one.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator);

/// Writes a whole file; the error names the path and the system's reason.
Result<void> write_file(const std::string& path, const std::string& content);
/// Whether write_file has a chance, to be asked before long work; the same error. Changes nothing.
Result<void> may_write(const std::string& path);

}  // namespace beckon::cli
