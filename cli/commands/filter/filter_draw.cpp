// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <memory>

#include "cli/commands/filter/filter.h"
#include "cli/render/numbers.h"
#include "cli/render/plot.h"

namespace beckon::cli {

namespace {

constexpr double left = 150, cell = 26, top = 64;
constexpr std::int64_t most_values = 40;

struct Picture {
  int k = 1, d = 1, s = 1;
  Whole range{};
  int groups() const { return static_cast<int>(range.high) / d + 1 + after(); }
  int after() const { return (k - 1) / s + 1; }  // groups drawn beyond the range
  int first() const { return static_cast<int>(range.low) / d; }
  int last() const { return static_cast<int>(range.high) / d; }
  /// One group is as wide as the larger of its values and its positions.
  double group_width() const { return cell * std::max(d, s) + 10; }
  double group_x(int g) const { return left + g * group_width(); }
  double width() const { return group_x(groups()) + 30; }
  /// Position j (0..s-1) of group g is set by the range.
  bool is_set(int g, int j) const {
    for (int from = first(); from <= last(); ++from) {
      int index = (g - from) * s + j;
      if (index >= 0 && index < k) return true;
    }
    return false;
  }
};

std::string text(double x, double y, const std::string& words, const char* anchor = "middle",
                 const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                     anchor, more, xml_text(words));
}

std::string box(double x, double y, double width, double height, const char* fill) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
      "stroke=\"#555555\"/>\n",
      x, y, width, height, fill);
}

std::string values_row(const Picture& p) {
  std::string out = text(left - 12, top + 18, "values", "end");
  for (int v = 0; v < p.groups() * p.d; ++v) {
    double x = p.group_x(v / p.d) + cell * (v % p.d);
    bool inside = v >= p.range.low && v <= p.range.high;
    out += box(x, top, cell, cell, inside ? "#9ad0f5" : "#ffffff");
    out += text(x + cell / 2, top + 18, std::to_string(v));
  }
  return out;
}

std::string groups_row(const Picture& p) {
  std::string out = text(left - 12, top + 62, "groups", "end");
  for (int g = 0; g < p.groups(); ++g) {
    bool inside = g >= p.first() && g <= p.last();
    out += box(p.group_x(g), top + 44, p.group_width() - 10, cell, inside ? "#d6ecfb" : "#f6f6f6");
    out += text(p.group_x(g) + (p.group_width() - 10) / 2, top + 62, fmt::format("G{}", g));
  }
  return out;
}

std::string positions_row(const Picture& p) {
  std::string out = text(left - 12, top + 106, "own positions", "end");
  for (int g = 0; g < p.groups(); ++g) {
    for (int j = 0; j < p.s; ++j) {
      double x = p.group_x(g) + cell * j;
      out += box(x, top + 88, cell, cell, p.is_set(g, j) ? "#f2b880" : "#ffffff");
      out += text(x + cell / 2, top + 106, fmt::format("h{}", j + 1), "middle", "font-size=\"11\"");
    }
  }
  return out;
}

/// For some groups: the k positions that any value of the group needs.
std::string elements(const Picture& p, int& rows) {
  std::string out;
  rows = 0;
  for (int g = p.first(); g <= p.last() + 1 && rows < 5; ++g, ++rows) {
    double y = top + 140 + 28 * rows;
    bool inside = g <= p.last();
    const char* colour = inside ? "#c25e00" : "#777777";
    out += text(left - 12, y + 4, fmt::format("a value in G{}", g), "end");
    int count = 0;
    for (int j = 0; j < p.k; ++j) {
      int owner = g + j / p.s;
      if (owner >= p.groups()) break;
      double x = p.group_x(owner) + cell * (j % p.s) + cell / 2;
      bool set = p.is_set(owner, j % p.s);
      out +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\" fill=\"{}\" stroke=\"{}\"/>\n",
                      x, y, set ? colour : "#ffffff", colour);
      count += set;
    }
    std::string verdict = inside ? fmt::format("all {} set: yes", p.k)
                                 : fmt::format("{} of {} set by neighbours, {} left to chance",
                                               count, p.k, p.k - count);
    out += text(p.width() - 14, y + 4, verdict, "start", "font-size=\"11\"");
  }
  return out;
}

std::string svg(const Picture& picture) {
  int rows = 0;
  std::string lines = elements(picture, rows);
  double width = picture.width() + 250;  // room for the verdicts
  double height = top + 140 + 28 * rows + 20;
  std::string title =
      fmt::format("k = {}, groups of d = {}, s = {} fresh positions each: publishing {}..{}",
                  picture.k, picture.d, picture.s, picture.range.low, picture.range.high);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 "
      "0 {0:.0f} "
      "{1:.0f}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\" "
      "fill=\"#222222\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  out += text(24, 32, title, "start", "font-size=\"15\" font-weight=\"bold\"");
  return out + values_row(picture) + groups_row(picture) + positions_row(picture) + lines +
         "</svg>\n";
}

/// The flags of `beckon filter draw`, as typed, so that every refusal can name its flag.
struct Args {
  std::string k{};
  std::string d{};
  std::string s{};
  std::string range{};
  std::string svg{};
};

Result<Picture> read(const Args& args) {
  auto k = read_whole("--k", args.k, {1, 16});
  if (!k) return k.error();
  auto d = read_whole("--d", args.d, {1, 12});
  if (!d) return d.error();
  auto s = read_whole("--s", args.s, {1, *k});
  if (!s) return s.error();
  auto range = read_span("--range", args.range, {0, most_values - 1}, Span::single_too);
  if (!range) return range.error();
  return Picture{static_cast<int>(*k), static_cast<int>(*d), static_cast<int>(*s), *range};
}

/// Draws how a published range becomes positions: values, groups, the fresh positions of each
/// group, and which of them one value needs.
int run(const Globals& globals, const Args& args) {
  auto picture = read(args);
  if (!picture) return fail(globals, picture.error());
  if (args.svg.empty()) return fail(globals, invalid("--svg must name the file to write"));
  auto written = write_file(args.svg, svg(*picture));
  if (!written) return fail(globals, exit_code::nothing, "--svg: " + written.error().text);
  if (globals.json) fmt::print("{{\"written\":true}}\n");
  return exit_code::ok;
}

}  // namespace

void add_filter_draw(Command group, Globals& globals) {
  auto args = std::make_shared<Args>();
  Command tool = group.add_subcommand("draw", "A picture of groups and overlapping positions");
  tool.add_option("--k", args->k, "Positions per value, 1 to 16").type_name("K").required();
  tool.add_option("--d", args->d, "Values per group, 1 to 12").type_name("D").required();
  tool.add_option("--s", args->s, "Fresh positions per group, 1 to k").type_name("S").required();
  tool.add_option("--range", args->range, "The published values, within 0..39")
      .type_name("A..B")
      .required();
  tool.add_option("--svg", args->svg, "Where to write it").type_name("FILE").required();
  tool.action(globals, [args, &globals] { return run(globals, *args); });
}

}  // namespace beckon::cli
