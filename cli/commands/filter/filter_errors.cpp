// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/json.h"
#include "base/rng.h"
#include "cli/commands/filter/filter.h"
#include "cli/render/numbers.h"
#include "cli/render/plot.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"
#include "filters/spectral/spectral_apps.h"
#include "filters/spectral/spectral_methods.h"
#include "filters/spectral/spectral_model.h"

namespace beckon::cli {

namespace {

using namespace filters;
using Counts = std::map<Hash128, std::uint64_t, ElementLess>;

struct Args {
  std::string distinct = "1000";
  std::string length = "40000";
  std::string k = "5";
  std::string skew = "0.5";
  std::string runs = "5";
  std::string seed = "1";
  std::string svg{};
  std::string plot = "wrong";
};

struct Request {
  std::uint32_t distinct = 0;
  std::uint64_t length = 0;
  std::uint32_t k = 0;
  double skew = 0;
  int runs = 0;
  std::uint64_t seed = 0;
};

const char* const method_names[] = {"minimum selection", "minimal increase",
                                    "recurring minimum, same memory",
                                    "recurring minimum, half more", "trapping, half more"};
constexpr std::size_t methods = std::size(method_names);

struct Row {
  double load = 0;       // gamma = n k / m
  double predicted = 0;  // Bloom error
  std::array<double, methods> wrong{};
  std::array<double, methods> error{};  // root of the mean square
};

Result<Request> read(const Args& args) {
  auto distinct = read_whole("--distinct", args.distinct, {10, 100000});
  if (!distinct) return distinct.error();
  auto length = read_whole("--length", args.length, {1, 10000000});
  if (!length) return length.error();
  auto k = read_whole("--k", args.k, {1, SpectralShape::max_k});
  if (!k) return k.error();
  auto skew = read_weight("--skew", args.skew);
  if (!skew) return skew.error();
  auto runs = read_whole("--runs", args.runs, {1, 1000});
  if (!runs) return runs.error();
  auto seed = read_whole("--seed", args.seed, {0, INT64_MAX});
  if (!seed) return seed.error();
  return Request{.distinct = static_cast<std::uint32_t>(*distinct),
                 .length = static_cast<std::uint64_t>(*length),
                 .k = static_cast<std::uint32_t>(*k),
                 .skew = *skew,
                 .runs = static_cast<int>(*runs),
                 .seed = static_cast<std::uint64_t>(*seed)};
}

std::vector<Hash128> zipf_stream(const Request& request, Rng& rng) {
  std::vector<Hash128> elements(request.distinct);
  std::vector<double> upto(request.distinct);
  double sum = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = {.low = rng.next(), .high = rng.next()};
    upto[i] = sum += std::pow(static_cast<double>(i + 1), -request.skew);
  }
  std::vector<Hash128> out;
  for (std::uint64_t i = 0; i < request.length; ++i) {
    auto at = std::lower_bound(upto.begin(), upto.end(), rng.real() * sum) - upto.begin();
    out.push_back(elements[std::min(static_cast<std::size_t>(at), elements.size() - 1)]);
  }
  return out;
}

template <typename Filter>
void measure(Result<Filter> filter, const std::vector<Hash128>& stream, const Counts& counts,
             std::size_t method, int runs, Row& row) {
  ENSURE(filter.has_value());
  for (const Hash128& element : stream) filter->insert(element);
  double wrong = 0;
  double squares = 0;
  for (const auto& [element, truth] : counts) {
    double off = static_cast<double>(filter->estimate(element)) - static_cast<double>(truth);
    wrong += off != 0 ? 1 : 0;
    squares += off * off;
  }
  auto n = static_cast<double>(counts.size());
  row.wrong[method] += wrong / n / runs;
  row.error[method] += std::sqrt(squares / n) / runs;
}

Row simulate(const Request& request, double load) {
  auto m = static_cast<std::uint32_t>(std::lround(request.distinct * request.k / load));
  Row row{.load = load, .predicted = bloom_error(request.distinct, m, request.k)};
  for (int run = 0; run < request.runs; ++run) {
    Rng rng(request.seed + static_cast<std::uint64_t>(run));
    std::vector<Hash128> stream = zipf_stream(request, rng);
    Counts counts;
    for (const Hash128& element : stream) ++counts[element];
    SpectralShape shape{.counters = m, .k = request.k};
    RecurringShape more{.primary = shape, .secondary = m / 2};
    RecurringShape same = more;
    same.primary.counters = m - m / 3;
    same.secondary = m / 3;
    measure(SpectralFilter::make(shape), stream, counts, 0, request.runs, row);
    measure(MinimalIncrease::make(shape), stream, counts, 1, request.runs, row);
    measure(RecurringMinimum::make(same), stream, counts, 2, request.runs, row);
    measure(RecurringMinimum::make(more), stream, counts, 3, request.runs, row);
    measure(TrappingRecurringMinimum::make(more), stream, counts, 4, request.runs, row);
  }
  return row;
}

Plot make_plot(const std::vector<Row>& rows, bool wrong) {
  Plot plot;
  plot.title =
      wrong ? "Share of wrong counts by load" : "Error of counts by load (root mean square)";
  plot.x.label = "load n k / m";
  plot.y.label = wrong ? "share of elements" : "occurrences";
  plot.y.log = true;
  for (std::size_t i = 0; i < methods; ++i) {
    Plot::Series series{.name = method_names[i]};
    for (const Row& row : rows) {
      series.points.emplace_back(row.load, wrong ? row.wrong[i] : row.error[i]);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

void print_json(const std::vector<Row>& rows) {
  Json out = Json::array();
  for (const Row& row : rows) {
    Json entry{{"load", row.load}, {"predicted_wrong", row.predicted}};
    for (std::size_t i = 0; i < methods; ++i) {
      entry["methods"].push_back(
          {{"name", method_names[i]}, {"wrong", row.wrong[i]}, {"error", row.error[i]}});
    }
    out.push_back(std::move(entry));
  }
  fmt::print("{}\n", out.dump());
}

void print_table(const std::vector<Row>& rows) {
  using Align = Table::Align;
  Table table({{"load", Align::right},
               {"model", Align::right},
               {"ms", Align::right},
               {"mi", Align::right},
               {"rm same", Align::right},
               {"rm more", Align::right},
               {"trm more", Align::right},
               {"|  error ms", Align::right},
               {"mi", Align::right},
               {"rm same", Align::right},
               {"rm more", Align::right},
               {"trm more", Align::right}});
  for (const Row& row : rows) {
    std::vector<std::string> cells{fmt::format("{:.2f}", row.load),
                                   fmt::format("{:.4f}", row.predicted)};
    for (double wrong : row.wrong) cells.push_back(fmt::format("{:.4f}", wrong));
    for (double error : row.error) cells.push_back(fmt::format("{:.3f}", error));
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text());
}

int run(const Globals& globals, const Args& args) {
  auto request = read(args);
  if (!request) return fail(globals, request.error());
  if (args.plot != "wrong" && args.plot != "error") {
    return fail(globals, invalid("--plot must be wrong or error, got '" + args.plot + "'"));
  }
  if (auto may = may_write(args.svg); !args.svg.empty() && !may) {
    return fail(globals, exit_code::nothing, "--svg: " + may.error().text);
  }
  std::vector<Row> rows;
  Progress progress(globals, "loads");
  for (double load : {0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.25, 1.5, 2.0}) {
    rows.push_back(simulate(*request, load));
    progress.done(rows.size(), rows.size(), 10);
  }
  progress.clear();
  if (globals.json) print_json(rows);
  if (!args.svg.empty()) {
    auto written = write_file(args.svg, make_plot(rows, args.plot == "wrong").svg());
    if (!written) return fail(globals, exit_code::nothing, "--svg: " + written.error().text);
  } else if (!globals.json) {
    print_table(rows);
  }
  return exit_code::ok;
}

}  // namespace

void add_filter_errors(Command filter, Globals& globals) {
  auto args = std::make_shared<Args>();
  Command tool =
      filter.add_subcommand("errors", "How wrong the counting methods are, by load, simulated");
  tool.add_option("--distinct", args->distinct, "Distinct elements").type_name("N");
  tool.add_option("--length", args->length, "Elements in the stream").type_name("N");
  tool.add_option("--k", args->k, "Counters of each element").type_name("K");
  tool.add_option("--skew", args->skew, "Zipf parameter of the frequencies").type_name("Z");
  tool.add_option("--runs", args->runs, "Streams to average over").type_name("N");
  tool.add_option("--seed", args->seed, "Same seed, same answer").type_name("S");
  tool.add_option("--svg", args->svg, "Write a plot instead of a table").type_name("FILE");
  tool.add_option("--plot", args->plot, "What the plot shows: wrong or error").type_name("WHAT");
  tool.action(globals, [&globals, args] { return run(globals, *args); });
}

}  // namespace beckon::cli
