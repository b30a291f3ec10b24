// SPDX-License-Identifier: MIT
#include "cli/render/numbers.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace beckon::cli {

namespace {

constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

std::string between(Whole limits) {
  if (limits.low == smallest && limits.high == largest) return "of 64 bits";
  return fmt::format("from {} to {}", limits.low, limits.high);
}

}  // namespace

Result<std::int64_t> read_whole(const std::string& what, std::string_view text, Whole limits) {
  std::int64_t value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = code == std::errc{} && end == text.data() + text.size() && !text.empty();
  if (whole && value >= limits.low && value <= limits.high) return value;
  return invalid(
      fmt::format("{} must be a whole number {}, got '{}'", what, between(limits), text));
}

Result<double> read_weight(const std::string& what, std::string_view text) {
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool number = code == std::errc{} && end == text.data() + text.size();
  if (number && std::isfinite(value) && value >= 0) return value;
  return invalid(fmt::format("{} must be a number of 0 or more, got '{}'", what, text));
}

Result<Whole> read_span(const std::string& what, std::string_view text, Whole limits, Span kind) {
  auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    if (kind == Span::range_only) {
      return invalid(fmt::format("{} must be written A..B, got '{}'", what, text));
    }
    auto value = read_whole(what, text, limits);
    if (!value) return value.error();
    return Whole{*value, *value};
  }
  auto low = read_whole(what, text.substr(0, dots), limits);
  if (!low) return low.error();
  auto high = read_whole(what, text.substr(dots + 2), limits);
  if (!high) return high.error();
  if (*low > *high) {
    return invalid(fmt::format("{} is empty: {} is above {}", what, *low, *high));
  }
  return Whole{*low, *high};
}

std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator) {
  auto at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

Result<void> write_file(const std::string& path, const std::string& content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (file) return {};
  return Error{ErrorCode::internal, fmt::format("cannot write {}: {}", path, std::strerror(errno))};
}

Result<void> may_write(const std::string& path) {
  std::error_code ignored;
  bool there = std::filesystem::exists(path, ignored);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::string asked = there ? path : folder.empty() ? "." : folder.string();
  errno = there && std::filesystem::is_directory(path, ignored) ? EISDIR : 0;
  if (errno == 0 && ::access(asked.c_str(), W_OK) == 0) return {};
  return Error{ErrorCode::internal, fmt::format("cannot write {}: {}", path, std::strerror(errno))};
}

}  // namespace beckon::cli
