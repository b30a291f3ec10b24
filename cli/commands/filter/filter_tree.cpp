// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "base/json.h"
#include "cli/commands/filter/filter.h"
#include "cli/render/numbers.h"
#include "cli/render/plot.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"
#include "filters/exchange/set_summaries.h"
#include "filters/tree/bloom_tree_codec.h"
#include "filters/tree/bloom_tree_design.h"

namespace beckon::cli {

namespace {

using namespace filters;

struct Options {
  std::string items{};
  std::string depth = "3";
  std::string rate = "0.01";
  std::string aim = "arithmetic";
  bool bounded = false;
  std::string svg{};
};

struct Request {
  std::uint32_t items = 0;
  std::size_t depth = 3;
  double rate = 0.01;
  TreeAim aim = TreeAim::arithmetic;
  bool bounded = false;
};

Result<Request> read(const Options& options) {
  Request out{.bounded = options.bounded};
  auto items = read_whole("--items", options.items, {.low = 1, .high = 1'000'000});
  if (!items) return items.error();
  auto depth = read_whole("--depth", options.depth, {.low = 2, .high = 4});
  if (!depth) return depth.error();
  auto rate = read_weight("--rate", options.rate);
  if (!rate || *rate < 1e-6 || *rate > 0.5) {
    return invalid("--rate must be 0.000001 to 0.5, such as 0.01, got '" + options.rate + "'");
  }
  if (options.aim != "arithmetic" && options.aim != "geometric") {
    return invalid("--aim must be arithmetic or geometric, got '" + options.aim + "'");
  }
  out.items = static_cast<std::uint32_t>(*items);
  out.depth = static_cast<std::size_t>(*depth);
  out.rate = *rate;
  if (options.aim == "geometric") out.aim = TreeAim::geometric;
  return out;
}

double aim_rate(const Request& request, const TreeDesign& design) {
  return request.aim == TreeAim::geometric ? design.rates.geometric : design.rates.arithmetic;
}

double aim_bits(const Request& request, const TreeDesign& design) {
  return request.aim == TreeAim::geometric ? design.whole_bits : design.sent_bits;
}

/// On more elements than the search can afford; what is dominated now goes.
std::vector<TreeDesign> measured_again(const Request& request, std::vector<TreeDesign> front) {
  std::vector<Costs> costs;
  for (TreeDesign& design : front) {
    design = measure_design(design.root_bits, design.levels, 10'000, 2);
    costs.push_back({aim_rate(request, design), aim_bits(request, design)});
  }
  std::vector<TreeDesign> out;
  for (std::size_t i : pareto_front(costs)) out.push_back(front[i]);
  return out;
}

/// Designs within a factor of 16 of the wanted rate, either side.
std::vector<TreeDesign> search(const Globals& globals, const Request& request) {
  Progress progress(globals, "designs");
  constexpr double window = 16;
  TreeSearch search{.depth = request.depth,
                    .aim = request.aim,
                    .root_bits = {0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12},
                    .least_rate = request.rate / window,
                    .most_rate = std::min(0.9, request.rate * window)};
  if (!request.bounded) search.root_k.low = 1;
  search.progress = [&](std::size_t count) { progress.done(count); };
  return measured_again(request, search_designs(search));
}

/// The cheapest that keeps the wanted rate; none if the front ends above it.
const TreeDesign* choose(const Request& request, const std::vector<TreeDesign>& front) {
  const TreeDesign* best = nullptr;
  for (const TreeDesign& design : front) {
    if (aim_rate(request, design) > request.rate) continue;
    if (!best || aim_bits(request, design) < aim_bits(request, *best)) best = &design;
  }
  return best;
}

/// Bytes of the chosen design with that many elements, as they would be sent.
std::size_t real_bytes(const Request& request, const TreeDesign& design) {
  auto tree = BloomTree::make(design.shape(request.items));
  if (!tree) return 0;
  Rng rng(3);
  for (std::uint32_t i = 0; i < request.items; ++i) {
    tree->insert({.low = rng.next(), .high = rng.next()});
  }
  return encode(*tree).size();
}

std::string levels_text(const TreeDesign& design) {
  std::string out = fmt::format("{:g}n/{}", design.root_bits, design.levels[0].k);
  for (std::size_t i = 1; i < design.levels.size(); ++i) {
    out += fmt::format(" {}/{}", design.levels[i].bits, design.levels[i].k);
  }
  return out;
}

std::uint64_t bytes(const Request& request, double bits_per_item) {
  return static_cast<std::uint64_t>(std::ceil(bits_per_item * request.items / 8));
}

Json design_json(const Request& request, const TreeDesign& design) {
  SummarySizes sizes = summary_sizes(design.rates.arithmetic);
  Json levels = Json::array();
  for (const TreeLevel& level : design.shape(request.items).levels) {
    levels.push_back({{"bits", level.bits}, {"k", level.k}});
  }
  return {{"levels", levels},
          {"rate", design.rates.arithmetic},
          {"geometric_rate", design.rates.geometric},
          {"tree_bytes", bytes(request, design.sent_bits)},
          {"tree_whole_bytes", bytes(request, design.whole_bits)},
          {"stored_bytes", bytes(request, design.stored_bits)},
          {"plain_bytes", bytes(request, sizes.plain)},
          {"compressed_bytes", bytes(request, sizes.compressed)},
          {"golomb_bytes", bytes(request, sizes.golomb)},
          {"floor_bytes", bytes(request, sizes.floor)}};
}

void print_json(const Request& request, const std::vector<TreeDesign>& front,
                const TreeDesign* chosen) {
  Json out{{"items", request.items},
           {"depth", request.depth},
           {"wanted_rate", request.rate},
           {"aim", request.aim == TreeAim::geometric ? "geometric" : "arithmetic"}};
  out["designs"] = Json::array();
  for (const TreeDesign& design : front) out["designs"].push_back(design_json(request, design));
  out["chosen"] = nullptr;
  if (chosen) {
    out["chosen"] = design_json(request, *chosen);
    out["chosen"]["encoded_bytes"] = real_bytes(request, *chosen);
  }
  fmt::print("{}\n", out.dump());
}

void print_text(const Request& request, const std::vector<TreeDesign>& front,
                const TreeDesign* chosen) {
  using Align = Table::Align;
  Table table({{"bits/k"},
               {"rate", Align::right},
               {"geometric", Align::right},
               {"tree B", Align::right},
               {"plain B", Align::right},
               {"compressed B", Align::right},
               {"Golomb B", Align::right},
               {""}});
  for (const TreeDesign& design : front) {
    SummarySizes sizes = summary_sizes(design.rates.arithmetic);
    table.add({levels_text(design), fmt::format("{:.3g}", design.rates.arithmetic),
               fmt::format("{:.3g}", design.rates.geometric),
               std::to_string(bytes(request, aim_bits(request, design))),
               std::to_string(bytes(request, sizes.plain)),
               std::to_string(bytes(request, sizes.compressed)),
               std::to_string(bytes(request, sizes.golomb)),
               &design == chosen ? "<- take this" : ""});
  }
  fmt::print("{}", table.text());
  if (chosen) {
    fmt::print("{} items really take {} bytes in that tree\n", request.items,
               real_bytes(request, *chosen));
  } else {
    fmt::print("no design keeps {:g}; try another --depth\n", request.rate);
  }
}

Plot make_plot(const Request& request, const std::vector<TreeDesign>& front) {
  Plot plot;
  bool geometric = request.aim == TreeAim::geometric;
  plot.title = fmt::format("Trees of depth {} {}", request.depth,
                           geometric ? "tuned by the geometric mean" : "at equal arithmetic rate");
  plot.x = {.label = "false positive rate (arithmetic)", .log = true};
  plot.y = {.label = "bits per element on the wire"};
  Plot::Series tree{.name = "tree", .style = Plot::Style::markers};
  Plot::Series plain{.name = "plain filter"};
  Plot::Series compressed{.name = "compressed, k = 2"};
  Plot::Series golomb{.name = "Golomb-coded list"};
  Plot::Series floor{.name = "log2(1/rate)"};
  double low = 1;
  double high = 0;
  for (const TreeDesign& design : front) {
    double rate = design.rates.arithmetic;
    tree.points.emplace_back(rate, aim_bits(request, design));
    low = std::min(low, rate);
    high = std::max(high, rate);
  }
  for (double rate = low; rate <= high * 1.0001; rate *= 1.05) {
    SummarySizes sizes = summary_sizes(std::min(rate, 0.99));
    plain.points.emplace_back(rate, sizes.plain);
    compressed.points.emplace_back(rate, sizes.compressed);
    golomb.points.emplace_back(rate, sizes.golomb);
    floor.points.emplace_back(rate, sizes.floor);
  }
  plot.series = {std::move(tree), std::move(plain), std::move(compressed), std::move(golomb),
                 std::move(floor)};
  return plot;
}

int run(const Globals& globals, const Options& options) {
  auto request = read(options);
  if (!request) return fail(globals, request.error());
  if (auto may = may_write(options.svg); !options.svg.empty() && !may) {
    return fail(globals, exit_code::nothing, "--svg: " + may.error().text);
  }
  std::vector<TreeDesign> front = search(globals, *request);
  const TreeDesign* chosen = choose(*request, front);
  if (!options.svg.empty()) {
    auto written = write_file(options.svg, make_plot(*request, front).svg());
    if (!written) return fail(globals, exit_code::nothing, "--svg: " + written.error().text);
  }
  if (globals.json) {
    print_json(*request, front, chosen);
  } else {
    print_text(*request, front, chosen);
  }
  return chosen ? exit_code::ok : exit_code::nothing;
}

}  // namespace

void add_filter_tree(Command filter, Globals& globals) {
  auto options = std::make_shared<Options>();
  Command command = filter.add_subcommand(
      "tree", "The best trees of filters for a set, beside other ways to send it");
  command.add_option("--items", options->items, "Elements in the set, 1 to 1000000")
      .type_name("N")
      .required();
  command.add_option("--depth", options->depth, "Levels of the tree, 2 to 4 (default 3)")
      .type_name("D");
  command
      .add_option("--rate", options->rate,
                  "How often a stranger may be taken for a member (default 0.01)")
      .type_name("F");
  command
      .add_option("--aim", options->aim,
                  "arithmetic: what is really met (default); geometric: as the paper tunes")
      .type_name("MEAN");
  command.add_flag("--bounded", options->bounded,
                   "Keep to the paper's bounds: at least two positions in the root");
  command.add_option("--svg", options->svg, "Also draw the designs and their rivals")
      .type_name("FILE");
  command.action(globals, [options, &globals] { return run(globals, *options); });
}

}  // namespace beckon::cli
