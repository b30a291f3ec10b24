// SPDX-License-Identifier: MIT
#include "cli/args/suggest.h"

#include <algorithm>
#include <utility>

namespace beckon::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  using Row = std::vector<std::size_t>;
  Row before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1u : 0u)});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::vector<std::string> suggest(std::string_view typed, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> near;
  std::size_t allowed = typed.size() < 4 ? 1 : 2;
  for (const std::string& name : names) {
    bool begins = typed.size() >= 2 && name.starts_with(typed);
    std::size_t distance = begins ? 1 : edit_distance(typed.substr(0, 64), name);
    if (distance <= allowed && distance < name.size()) near.emplace_back(distance, name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (auto& [distance, name] : near) out.push_back(std::move(name));
  if (out.size() > 3) out.resize(3);
  return out;
}

}  // namespace beckon::cli
