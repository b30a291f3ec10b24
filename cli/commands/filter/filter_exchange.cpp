// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "base/rng.h"
#include "cli/commands/filter/filter.h"
#include "cli/render/numbers.h"
#include "cli/render/plot.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"
#include "filters/exchange/exchange_cost.h"

namespace beckon::cli {

namespace {

using namespace filters;

struct Options {
  std::string a{};
  std::string b{};
  std::string common{};
  std::string seed = "1";
  std::string svg{};
};

struct Sets {
  std::vector<Hash128> a{};
  std::vector<Hash128> b{};
};

struct Request {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t common = 0;
  std::uint64_t seed = 1;
};

Result<Request> read(const Options& options) {
  constexpr std::int64_t most = 500'000;
  auto a = read_whole("--a", options.a, {.low = 0, .high = most});
  if (!a) return a.error();
  auto b = read_whole("--b", options.b, {.low = 0, .high = most});
  if (!b) return b.error();
  auto common = read_whole("--common", options.common, {.low = 0, .high = most});
  if (!common) return common.error();
  if (*common > std::min(*a, *b)) {
    return invalid(fmt::format("--common must be at most the smaller of --a and --b, {}, got {}",
                               std::min(*a, *b), *common));
  }
  auto seed = read_whole("--seed", options.seed, {.low = 0, .high = INT64_MAX});
  if (!seed) return seed.error();
  return Request{static_cast<std::size_t>(*a), static_cast<std::size_t>(*b),
                 static_cast<std::size_t>(*common), static_cast<std::uint64_t>(*seed)};
}

Sets make_sets(const Request& request) {
  Rng rng(request.seed);
  Sets out;
  for (std::size_t i = 0; i < request.a + request.b - request.common; ++i) {
    Hash128 element{.low = rng.next(), .high = rng.next()};
    if (i < request.a) out.a.push_back(element);
    if (i >= request.a - request.common) out.b.push_back(element);
  }
  return out;
}

/// How far the work has come, in ways tried.
class Work {
 public:
  Work(const Globals& globals, std::uint64_t exchanges)
      : progress_(globals, "ways"), whole_(ways * exchanges) {}
  void clear() { progress_.clear(); }
  void step() { progress_.done(done_ + 1, done_ + 1, whole_), ++done_; }

 private:
  static constexpr std::uint64_t ways = 4;
  Progress progress_;
  std::uint64_t whole_;
  std::uint64_t done_ = 0;
};

struct Row {
  std::string name{};
  ExchangeCost cost{};
};

/// A opens in every case. The first row is the tree, the second what a plain filter at 1 % takes.
Result<std::vector<Row>> rows_of(const Request& request, Work& work) {
  Sets sets = make_sets(request);
  std::size_t a = sets.a.size();
  std::size_t b = sets.b.size();
  auto tree = progressive_cost(exchange_shape(a, b), sets.a, sets.b);
  if (!tree) return tree.error();
  work.step();
  double plain = best_one_shot_rate(OneShot::plain, a, b);
  double list = best_one_shot_rate(OneShot::compressed, a, b);
  std::vector<Row> out{{"tree, level by level", *tree}};
  auto add = [&](std::string name, OneShot way, double rate) {
    out.push_back({std::move(name), one_shot_cost(way, rate, sets.a, sets.b)});
    work.step();
  };
  add("plain filter, rate 0.01", OneShot::plain, 0.01);
  add(fmt::format("plain filter, best rate {:.3g}", plain), OneShot::plain, plain);
  add(fmt::format("compressed, k = 1, best rate {:.3g}", list), OneShot::compressed, list);
  out.push_back({"all ids", all_ids_cost(sets.a, sets.b)});
  return out;
}

void print_json(const Request& request, const std::vector<Row>& rows) {
  Json out{{"a", request.a}, {"b", request.b}, {"common", request.common}};
  out["ways"] = Json::array();
  for (const Row& row : rows) {
    out["ways"].push_back({{"name", row.name},
                           {"filter_bytes", row.cost.filter_bytes},
                           {"id_bytes", row.cost.id_bytes},
                           {"bytes", row.cost.bytes()},
                           {"messages", row.cost.messages},
                           {"rounds", row.cost.rounds()},
                           {"ids_sent", row.cost.offered},
                           {"found", row.cost.common}});
  }
  fmt::print("{}\n", out.dump());
}

void print_text(const std::vector<Row>& rows) {
  using Align = Table::Align;
  Table table({{"way"},
               {"filter B", Align::right},
               {"id B", Align::right},
               {"bytes", Align::right},
               {"of 1st", Align::right},
               {"rounds", Align::right},
               {"ids sent", Align::right},
               {"found", Align::right}});
  auto first = static_cast<double>(rows[0].cost.bytes());
  for (const Row& row : rows) {
    table.add({row.name, std::to_string(row.cost.filter_bytes), std::to_string(row.cost.id_bytes),
               std::to_string(row.cost.bytes()),
               fmt::format("{:.2f}", static_cast<double>(row.cost.bytes()) / first),
               std::to_string(row.cost.rounds()), std::to_string(row.cost.offered),
               std::to_string(row.cost.common)});
  }
  fmt::print("{}", table.text());
}

constexpr std::size_t plot_steps = 10;

/// Bytes for all shares in common, from none to all of the smaller set.
Result<Plot> make_plot(const Request& request, Work& work) {
  Plot plot;
  plot.title = fmt::format("Finding what {} and {} elements have in common", request.a, request.b);
  plot.x = {.label = "elements in common"};
  plot.y = {.label = "bytes, ids included", .low = 0};
  plot.series = {{.name = "tree, level by level"},
                 {.name = "plain filter, rate 0.01"},
                 {.name = "plain filter, best rate"},
                 {.name = "compressed, k = 1, best rate"}};
  std::size_t most = std::min(request.a, request.b) / 4;
  for (std::size_t step = 0; step <= plot_steps; ++step) {
    Request at = request;
    at.common = most * step / plot_steps;
    auto rows = rows_of(at, work);
    if (!rows) return rows.error();
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      plot.series[i].points.emplace_back(at.common, (*rows)[i].cost.bytes());
    }
  }
  return plot;
}

int run(const Globals& globals, const Options& options) {
  auto request = read(options);
  if (!request) return fail(globals, request.error());
  bool draw = !options.svg.empty();
  if (auto may = may_write(options.svg); draw && !may) {
    return fail(globals, exit_code::nothing, "--svg: " + may.error().text);
  }
  Work work(globals, draw ? 2 + plot_steps : 1);
  auto rows = rows_of(*request, work);
  if (!rows) return fail(globals, rows.error());
  if (draw) {
    auto plot = make_plot(*request, work);
    if (!plot) return fail(globals, plot.error());
    auto written = write_file(options.svg, plot->svg());
    if (!written) return fail(globals, exit_code::nothing, "--svg: " + written.error().text);
  }
  work.clear();
  if (globals.json) {
    print_json(*request, *rows);
  } else {
    print_text(*rows);
  }
  return exit_code::ok;
}

}  // namespace

void add_filter_exchange(Command filter, Globals& globals) {
  auto options = std::make_shared<Options>();
  Command command = filter.add_subcommand(
      "exchange", "What it costs two sides to find their common elements, way by way");
  command.add_option("--a", options->a, "Elements of the side that opens, 0 to 500000")
      .type_name("N")
      .required();
  command.add_option("--b", options->b, "Elements of the other side").type_name("N").required();
  command.add_option("--common", options->common, "Elements that both have")
      .type_name("N")
      .required();
  command.add_option("--seed", options->seed, "Makes other sets (default 1)").type_name("N");
  command.add_option("--svg", options->svg, "Also draw bytes by elements in common")
      .type_name("FILE");
  command.action(globals, [options, &globals] { return run(globals, *options); });
}

}  // namespace beckon::cli
