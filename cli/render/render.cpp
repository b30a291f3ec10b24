// SPDX-License-Identifier: MIT
#include "cli/render/render.h"

#include <algorithm>

#include "base/result.h"
#include "cli/render/columns.h"

namespace beckon::cli {

void Table::add(std::vector<std::string> cells) {
  ENSURE(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string padding(widths[i] - columns(cells[i]), ' ');
    bool right = columns_[i].align == Align::right;
    out += (i == 0 ? "" : "  ") + (right ? padding + cells[i] : cells[i] + padding);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  return text(widths);
}

std::string Table::text(std::vector<std::size_t>& widths) const {
  std::vector<std::string> headings;
  widths.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    headings.push_back(columns_[i].heading);
    widths[i] = std::max(widths[i], columns(columns_[i].heading));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out = line(headings, widths);
  for (const auto& row : rows_) out += line(row, widths);
  return out;
}

}  // namespace beckon::cli
