// SPDX-License-Identifier: MIT
#include "cli/render/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace beckon::cli {

namespace {

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.1f} M/s", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.1f} k/s", per_second / 1e3);
  return fmt::format("{:.0f} /s", per_second);
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

Progress::Progress(const Globals& globals, std::string unit)
    : unit_(std::move(unit)),
      on_(!globals.quiet && !globals.json && isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

void Progress::done(std::uint64_t count, std::uint64_t part, std::uint64_t whole) {
  if (!on_) return;
  auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  double seconds = std::chrono::duration<double>(now - start_).count();
  std::string share =
      whole > 0 ? fmt::format(", {} %, {:.0f} s left",
                              static_cast<std::uint64_t>(100.0 * static_cast<double>(part) /
                                                         static_cast<double>(whole)),
                              seconds * static_cast<double>(whole - std::min(part, whole)) /
                                  static_cast<double>(std::max<std::uint64_t>(part, 1)))
                : "";
  fmt::print(stderr, "\r\033[K{} {}, {}{}", grouped(count), unit_,
             rate_text(static_cast<double>(count) / seconds), share);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

}  // namespace beckon::cli
