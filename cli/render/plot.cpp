// SPDX-License-Identifier: MIT
#include "cli/render/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace beckon::cli {

namespace {

// Okabe and Ito's colours, which stay apart for colour-blind readers.
constexpr std::array<const char*, 7> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000"};
constexpr std::array<const char*, 4> dashes = {"", "7 4", "2 3", "10 3 2 3"};
constexpr double left = 78, right = 18, top = 44, bottom = 56;

struct Tick {
  double at = 0;
  std::string label{};
};

/// One axis: limits, and where a value falls in pixels.
struct Scale {
  bool log = false;
  double low = 0, high = 1;
  double from = 0, to = 1;  // pixels

  bool shows(double v) const { return std::isfinite(v) && (!log || v > 0); }
  double place(double v) const { return log ? std::log10(v) : v; }
  double pixel(double v) const {
    double share = (place(v) - place(low)) / (place(high) - place(low));
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }
};

std::string short_number(double v) {
  if (v == 0) return "0";
  double size = std::abs(v);
  if (size >= 1e6 || size < 1e-3) return fmt::format("{:.3g}", v);
  return fmt::format("{:.6g}", v);
}

/// A step of 1, 2 or 5 times a power of ten that gives about six ticks.
double nice_step(double span) {
  double raw = span / 6;
  double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> linear_ticks(const Scale& scale) {
  std::vector<Tick> ticks;
  double step = nice_step(scale.high - scale.low);
  double first = std::ceil(scale.low / step - 1e-9) * step;
  for (int i = 0; first + i * step <= scale.high + 1e-9 * step; ++i) {
    double v = first + i * step;
    ticks.push_back({v, short_number(std::abs(v) < 1e-9 * step ? 0 : v)});
  }
  return ticks;
}

/// Powers of ten, thinned to ten at most; 2 and 5 between them when there are few.
std::vector<Tick> log_ticks(const Scale& scale) {
  std::vector<Tick> ticks;
  int low = static_cast<int>(std::floor(std::log10(scale.low) + 1e-9));
  int high = static_cast<int>(std::ceil(std::log10(scale.high) - 1e-9));
  int every = std::max(1, (high - low + 9) / 10);
  for (int power = low; power <= high; ++power) {
    if ((power - low) % every != 0) continue;
    for (int factor : {1, 2, 5}) {
      if (factor > 1 && high - low > 2) continue;
      double v = factor * std::pow(10.0, power);
      if (v < scale.low * (1 - 1e-9) || v > scale.high * (1 + 1e-9)) continue;
      ticks.push_back(
          {v, power >= -2 && power <= 4 ? short_number(v) : fmt::format("{}e{}", factor, power)});
    }
  }
  return ticks;
}

std::vector<Tick> ticks_of(const Scale& scale) {
  return scale.log ? log_ticks(scale) : linear_ticks(scale);
}

/// Limits that hold all points: whole powers of ten, or whole ticks.
Scale scale_for(const Plot::Axis& axis, const std::vector<double>& values) {
  Scale scale{axis.log, 0, 1, 0, 1};
  std::vector<double> shown;
  std::copy_if(values.begin(), values.end(), std::back_inserter(shown),
               [&](double v) { return scale.shows(v); });
  if (axis.log) scale.low = 0.1;
  if (!shown.empty()) {
    auto [low, high] = std::minmax_element(shown.begin(), shown.end());
    scale.low = axis.low.value_or(*low);
    scale.high = axis.high.value_or(*high);
  }
  if (axis.log) {
    if (!axis.low) scale.low = std::pow(10.0, std::floor(std::log10(scale.low) + 1e-9));
    if (!axis.high) scale.high = std::pow(10.0, std::ceil(std::log10(scale.high) - 1e-9));
    if (scale.high <= scale.low) scale.high = scale.low * 10;
    return scale;
  }
  if (scale.high <= scale.low) scale.high = scale.low + 1;
  double step = nice_step(scale.high - scale.low);
  if (!axis.low) scale.low = std::floor(scale.low / step + 1e-9) * step;
  if (!axis.high) scale.high = std::ceil(scale.high / step - 1e-9) * step;
  return scale;
}

std::string label(double x, double y, const char* anchor, const std::string& text,
                  const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, xml_text(text));
}

std::string grid_line(double x1, double y1, double x2, double y2) {
  return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#dddddd\"/>\n", x1, y1, x2,
                     y2);
}

std::string axes(const Plot& plot, const Scale& x, const Scale& y) {
  std::string out;
  for (const Tick& tick : ticks_of(x)) {
    double at = x.pixel(tick.at);
    out += grid_line(at, y.to, at, y.from) + label(at, y.from + 18, "middle", tick.label);
  }
  for (const Tick& tick : ticks_of(y)) {
    double at = y.pixel(tick.at);
    out += grid_line(x.from, at, x.to, at) + label(x.from - 8, at + 4, "end", tick.label);
  }
  out += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#444444\"/>\n",
      x.from, y.to, x.to - x.from, y.from - y.to);
  out += label((x.from + x.to) / 2, y.from + 42, "middle", plot.x.label);
  double middle = (y.from + y.to) / 2;
  out += label(20, middle, "middle", plot.y.label,
               fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", middle).c_str());
  out += label((x.from + x.to) / 2, 26, "middle", plot.title,
               " font-size=\"16\" font-weight=\"bold\"");
  return out;
}

std::string stroke(std::size_t index) {
  return fmt::format("stroke=\"{}\" stroke-width=\"2\" fill=\"none\" stroke-dasharray=\"{}\"",
                     colours[index % colours.size()], dashes[index % dashes.size()]);
}

std::string draw(const Plot::Series& series, std::size_t index, const Scale& x, const Scale& y) {
  std::string path;
  std::string marks;
  double last_y = 0;
  for (auto [px, py] : series.points) {
    if (!x.shows(px) || !y.shows(py)) continue;
    double at_x = x.pixel(px);
    double at_y = y.pixel(py);
    if (series.style == Plot::Style::markers) {
      marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", at_x,
                           at_y, colours[index % colours.size()]);
      continue;
    }
    if (!path.empty() && series.style == Plot::Style::step) {
      path += fmt::format("L{:.1f} {:.1f}", at_x, last_y);
    }
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x, at_y);
    last_y = at_y;
  }
  if (!path.empty()) path = fmt::format("<path d=\"{}\" {}/>\n", path, stroke(index));
  return path + marks;
}

/// Names in a box, at the corner or edge that fewest points cross.
std::string legend(const Plot& plot, const Scale& x, const Scale& y) {
  std::size_t longest = 0;
  for (const auto& series : plot.series) longest = std::max(longest, series.name.size());
  double width = 52 + 7.2 * static_cast<double>(longest);
  double height = 12 + 20.0 * static_cast<double>(plot.series.size());
  double best_x = x.to - width - 8, best_y = y.to + 8;
  std::size_t fewest = static_cast<std::size_t>(-1);
  for (double corner_y : {y.to + 8, y.from - height - 8}) {
    for (double corner_x : {x.to - width - 8, x.from + 8, (x.from + x.to - width) / 2}) {
      std::size_t inside = 0;
      for (const auto& series : plot.series) {
        for (auto [px, py] : series.points) {
          if (!x.shows(px) || !y.shows(py)) continue;
          double dx = x.pixel(px) - corner_x, dy = y.pixel(py) - corner_y;
          inside += dx >= -6 && dx <= width + 6 && dy >= -6 && dy <= height + 6;
        }
      }
      if (inside >= fewest) continue;
      fewest = inside;
      best_x = corner_x;
      best_y = corner_y;
    }
  }
  std::string out = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"white\" "
      "fill-opacity=\"0.9\" stroke=\"#bbbbbb\"/>\n",
      best_x, best_y, width, height);
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    double at = best_y + 16 + 20.0 * static_cast<double>(i);
    out += plot.series[i].style == Plot::Style::markers
               ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n",
                             best_x + 22, at, colours[i % colours.size()])
               : fmt::format("<path d=\"M{:.1f} {:.1f}h28\" {}/>\n", best_x + 8, at, stroke(i));
    out += label(best_x + 44, at + 4, "start", plot.series[i].name);
  }
  return out;
}

}  // namespace

std::string xml_text(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
  }
  return out;
}

std::string Plot::svg() const {
  std::vector<double> xs, ys;
  for (const Series& each : series) {
    for (auto [px, py] : each.points) {
      xs.push_back(px);
      ys.push_back(py);
    }
  }
  Scale scale_x = scale_for(x, xs);
  scale_x.from = left;
  scale_x.to = width - right;
  Scale scale_y = scale_for(y, ys);
  scale_y.from = height - bottom;
  scale_y.to = top;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" "
      "font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  out += axes(*this, scale_x, scale_y);
  for (std::size_t i = 0; i < series.size(); ++i) out += draw(series[i], i, scale_x, scale_y);
  if (series.size() > 1) out += legend(*this, scale_x, scale_y);
  return out + "</svg>\n";
}

}  // namespace beckon::cli
