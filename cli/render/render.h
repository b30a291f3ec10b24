// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace beckon::cli {

/// Rows of text under headings, columns as wide as their widest cell, for people. Width is counted
/// in UTF-8 code points. Numbers read best to the right.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading{};
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);  // as many cells as columns
  std::string text() const;                  // ends with a line break
  /// The same with columns at least so wide, 0 where nothing is given; `widths` become those used.
  std::string text(std::vector<std::size_t>& widths) const;

 private:
  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace beckon::cli
