// SPDX-License-Identifier: MIT
#include "node/log_limiter.h"

namespace beckon {

bool LogLimiter::admit(const LogLine& line, Time now) {
  std::string kind = std::string(to_text(line.level)) + " " + line.text;
  if (!windows_.contains(kind) && windows_.size() >= options_.kinds) kind = "other lines";
  auto [found, first] = windows_.try_emplace(kind, Window{.level = line.level, .begun = now});
  Window& window = found->second;
  std::size_t limit = line.level == LogLevel::debug ? options_.debug_lines : options_.lines;
  if (window.written < limit) {
    ++window.written;
    return true;
  }
  ++window.left_out;
  return false;
}

std::vector<LogLine> LogLimiter::left_out(Time now) {
  std::vector<LogLine> out;
  for (auto it = windows_.begin(); it != windows_.end();) {
    const auto& [kind, window] = *it;
    if (now != Time::max() && now - window.begun < options_.window) {
      ++it;
      continue;
    }
    if (window.left_out > 0) {
      out.push_back({window.level,
                     std::to_string(window.left_out) + " more like this were not logged",
                     {{"like", kind}}});
    }
    it = windows_.erase(it);
  }
  return out;
}

}  // namespace beckon
