// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace beckon::cli {

/// A chart as SVG text: axes with ticks and labels, a legend, several series that differ in colour
/// and dash so that they can be told apart in print. Points that a log axis cannot show are left
/// out. Series without points are legal; limits are then 0..1.
struct Plot {
  enum class Style { line, step, markers };
  struct Series {
    std::string name{};
    std::vector<std::pair<double, double>> points{};
    Style style = Style::line;
  };
  struct Axis {
    std::string label{};
    bool log = false;
    std::optional<double> low{};  // otherwise from the points
    std::optional<double> high{};
  };

  std::string title{};
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
  int width = 760;
  int height = 460;

  std::string svg() const;
};

/// Text for XML: & < > and quotes escaped, control characters left out.
std::string xml_text(const std::string& text);

}  // namespace beckon::cli
