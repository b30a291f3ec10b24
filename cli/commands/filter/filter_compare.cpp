// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <array>
#include <memory>

#include "base/json.h"
#include "cli/commands/filter/filter.h"
#include "cli/render/numbers.h"
#include "cli/render/plot.h"
#include "cli/render/render.h"
#include "filters/design/go_single.h"

namespace beckon::cli {

namespace {

using namespace filters;
using Align = Table::Align;

constexpr std::int64_t most_rows = 10000;

struct Named {
  Scheme scheme{};
  const char* key = "";
  const char* title = "";
};
constexpr std::array<Named, 4> schemes = {{{Scheme::traditional, "traditional", "traditional"},
                                           {Scheme::grouping, "grouping", "grouping"},
                                           {Scheme::overlapping, "overlapping", "overlapping"},
                                           {Scheme::go, "go", "grouping-overlapping"}}};

struct Request {
  int bits = 0;
  double scope = 0;
  Whole widths{};
  std::int64_t step = 1;
  KLimits k{};
};

struct Row {
  std::int64_t width = 0;
  std::array<SingleOptimum, 4> best{};
};

/// The flags of `beckon filter compare`, as typed, so that every refusal can name its flag.
struct Args {
  std::string bits{};
  std::string scope{};
  std::string widths{};
  std::string k{};
  std::string svg{};
  std::string plot = "rate";
};

Result<Request> read(const Args& args) {
  Request request;
  auto bits = read_whole("--bits", args.bits, {design_limits::min_bits, design_limits::max_bits});
  if (!bits) return bits.error();
  request.bits = static_cast<int>(*bits);
  auto most = static_cast<std::int64_t>(design_limits::max_scope);
  auto scope = read_whole("--scope", args.scope, {1, most});
  if (!scope) return scope.error();
  request.scope = static_cast<double>(*scope);
  auto [span_text, step_text] = cut(args.widths, ':');
  auto widths = read_span("--widths", span_text, {1, *scope}, Span::single_too);
  if (!widths) return widths.error();
  request.widths = *widths;
  if (args.widths.find(':') != std::string::npos) {
    auto step = read_whole("--widths: the step", step_text, {1, most});
    if (!step) return step.error();
    request.step = *step;
  }
  if ((widths->high - widths->low) / request.step >= most_rows) {
    return invalid(fmt::format("--widths: more than {} rows; take a larger step, as in {}..{}:{}",
                               most_rows, widths->low, widths->high,
                               (widths->high - widths->low) / most_rows + 1));
  }
  if (!args.k.empty()) {
    auto k = read_span("--k", args.k, {1, design_limits::max_k}, Span::single_too);
    if (!k) return k.error();
    request.k = {static_cast<int>(k->low), static_cast<int>(k->high)};
  }
  return request;
}

std::vector<Row> compute(const Request& request) {
  std::vector<Row> rows;
  for (std::int64_t width = request.widths.low; width <= request.widths.high;
       width += request.step) {
    Row row{width, {}};
    for (std::size_t i = 0; i < schemes.size(); ++i) {
      RangeSize size{request.scope, static_cast<double>(width)};
      row.best[i] = optimise_single(request.bits, size, schemes[i].scheme, request.k);
    }
    rows.push_back(row);
  }
  return rows;
}

/// What --plot chooses, one value per scheme and width.
struct Quantity {
  const char* name = "";
  const char* label = "";
  bool log = false;
  double (*of)(const Request&, const SingleOptimum&) = nullptr;
};
constexpr std::array<Quantity, 5> quantities = {{
    {"rate", "false positive rate", true,
     [](const Request&, const SingleOptimum& o) { return o.fpr; }},
    {"bits", "bits set", false,
     [](const Request& r, const SingleOptimum& o) {
       return expected_set_bits(o.positions, r.bits);
     }},
    {"k", "k, positions per value", false,
     [](const Request&, const SingleOptimum& o) { return static_cast<double>(o.shape.k); }},
    {"s", "s, fresh positions per group", false,
     [](const Request&, const SingleOptimum& o) { return static_cast<double>(o.shape.s); }},
    {"d", "d, values per group", false,
     [](const Request&, const SingleOptimum& o) { return static_cast<double>(o.shape.d); }},
}};

Plot make_plot(const Request& request, const std::vector<Row>& rows, const Quantity& quantity) {
  Plot plot;
  plot.title =
      fmt::format("One range in {} bits, scope of {:.0f} values", request.bits, request.scope);
  plot.x = {"width of the published range", false, 0.0, std::nullopt};
  plot.y = {quantity.label, quantity.log, std::nullopt, std::nullopt};
  if (quantity.log)
    plot.y.low = 1e-12;  // smaller ones say nothing and flatten the rest
  else
    plot.y.low = 0;
  double lowest = 1;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    Plot::Series series{schemes[i].title, {}, quantity.log ? Plot::Style::line : Plot::Style::step};
    for (const Row& row : rows) {
      double value = quantity.of(request, row.best[i]);
      lowest = std::min(lowest, value);
      if (quantity.log && value < *plot.y.low) continue;
      series.points.emplace_back(static_cast<double>(row.width), value);
    }
    plot.series.push_back(series);
  }
  if (lowest > 1e-12) plot.y.low = quantity.log ? std::nullopt : plot.y.low;
  return plot;
}

Json to_json(const Request& request, const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json one{{"width", row.width}};
    for (std::size_t i = 0; i < schemes.size(); ++i) {
      const SingleOptimum& best = row.best[i];
      one[schemes[i].key] = {{"k", best.shape.k},
                             {"d", best.shape.d},
                             {"s", best.shape.s},
                             {"fpr", best.fpr},
                             {"set_bits", expected_set_bits(best.positions, request.bits)}};
    }
    list.push_back(one);
  }
  return {
      {"bits", request.bits}, {"scope", static_cast<std::int64_t>(request.scope)}, {"rows", list}};
}

void print(const std::vector<Row>& rows) {
  std::vector<Table::Column> columns{{"WIDTH", Align::right}};
  for (const Named& scheme : schemes) {
    columns.push_back({scheme.key, Align::right});
    columns.push_back({"k/d/s", Align::left});
  }
  Table table(columns);
  for (const Row& row : rows) {
    std::vector<std::string> cells{std::to_string(row.width)};
    for (const SingleOptimum& best : row.best) {
      cells.push_back(fmt::format("{:.3e}", best.fpr));
      cells.push_back(fmt::format("{}/{}/{}", best.shape.k, best.shape.d, best.shape.s));
    }
    table.add(cells);
  }
  fmt::print("{}", table.text());
}

int run(const Globals& globals, const Args& args) {
  auto request = read(args);
  if (!request) return fail(globals, request.error());
  const Quantity* quantity = nullptr;
  for (const Quantity& each : quantities) quantity = args.plot == each.name ? &each : quantity;
  if (quantity == nullptr) {
    return fail(globals,
                invalid(fmt::format("--plot must be rate, bits, k, s or d, got '{}'", args.plot)));
  }
  std::vector<Row> rows = compute(*request);
  if (!args.svg.empty()) {
    auto written = write_file(args.svg, make_plot(*request, rows, *quantity).svg());
    if (!written) return fail(globals, exit_code::nothing, "--svg: " + written.error().text);
    if (!globals.quiet) fmt::print(stderr, "Plot of {} widths in {}\n", rows.size(), args.svg);
  }
  if (globals.json) {
    fmt::print("{}\n", to_json(*request, rows).dump());
  } else if (args.svg.empty()) {
    print(rows);
  }
  return exit_code::ok;
}

}  // namespace

void add_filter_compare(Command group, Globals& globals) {
  auto args = std::make_shared<Args>();
  Command tool = group.add_subcommand("compare", "Four schemes at their best, width by width");
  tool.add_option("--bits", args->bits, "Length of the filter, 8 to 1048576")
      .type_name("M")
      .required();
  tool.add_option("--scope", args->scope, "How many values there are").type_name("R").required();
  tool.add_option("--widths", args->widths, "Widths of the published range")
      .type_name("A..B[:STEP]")
      .required();
  tool.add_option("--k", args->k, "Positions per value: one number or a range A..B, 1 to 64")
      .type_name("K");
  tool.add_option("--svg", args->svg, "Write a plot instead of a table").type_name("FILE");
  tool.add_option("--plot", args->plot, "What the plot shows: rate, bits, k, s or d")
      .type_name("WHAT");
  tool.action(globals, [args, &globals] { return run(globals, *args); });
}

}  // namespace beckon::cli
