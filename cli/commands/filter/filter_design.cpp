// SPDX-License-Identifier: MIT
#include "cli/commands/filter/filter_design.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/json.h"
#include "cli/commands/filter/filter.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"
#include "filters/design/rivals.h"

namespace beckon::cli {

namespace {

using namespace filters;
using Align = Table::Align;

/// One way of carrying the profile, for the table of ways.
struct Way {
  std::string name{};
  std::string key{};
  int k = 0;  // 0: it has none
  double total_fpr = 1;
  std::string note{};
};

struct Line {
  std::string scheme{};
  Shape shape{};
  int level = 0;
  double positions = 0;
  double fpr = 0;
};

struct Answer {
  int k = 0;
  bool own_k = false;
  double total_fpr = 1;
  double positions = 0;
  double set_bits = 0;
  std::vector<Line> lines{};
  double text_positions = 0;
  double text_fpr = 0;
  std::vector<Way> ways{};
};

int texts_of(const DesignRequest& request) {
  return request.load.texts.empty() ? 0 : request.load.texts[0].count;
}

void answer_from_go(const DesignRequest& request, const Design& design, Answer& answer) {
  Rates rates = rate(request.load, design);
  answer.k = design.text_k.empty() ? design.ranges[0].k : design.text_k[0];
  answer.total_fpr = design.total_fpr;
  answer.positions = rates.positions;
  answer.set_bits = rates.set_bits;
  for (std::size_t i = 0; i < design.ranges.size(); ++i) {
    answer.own_k |= design.ranges[i].k != answer.k;
    answer.lines.push_back(
        {"go", design.ranges[i], 0, rates.ranges[i].positions, rates.ranges[i].fpr});
  }
  if (rates.texts.empty()) return;
  answer.text_positions = rates.texts[0].positions;
  answer.text_fpr = rates.texts[0].fpr;
}

void answer_from_hybrid(const DesignRequest& request, const MixedDesign& design, Answer& answer) {
  answer.k = design.k;
  answer.total_fpr = design.total_fpr;
  answer.positions = design.positions;
  answer.set_bits = expected_set_bits(design.positions, design.bits);
  for (std::size_t i = 0; i < design.choices.size(); ++i) {
    const auto& choice = design.choices[i];
    answer.lines.push_back({choice.dyadic ? "dyadic" : "go", choice.shape, choice.level,
                            design.range_positions[i], design.range_fpr[i]});
  }
  answer.text_positions = texts_of(request) * design.k;
  answer.text_fpr = design.text_fpr;
}

MixedOptions mixed_options(const DesignRequest& request, bool allow_go) {
  return {request.options.bits, request.options.k_low, request.options.k_high, allow_go, true,
          Spread::blocks};
}

/// The rivals at the same bits, so that nobody takes GO for the best of all ways.
void add_ways(const DesignRequest& request, const Design& go, const MixedDesign& hybrid,
              Answer& answer) {
  const auto& options = request.options;
  int go_k = go.text_k.empty() ? go.ranges[0].k : go.text_k[0];
  answer.ways.push_back({"GO filter", "go", go_k, go.total_fpr, "one mask per query"});
  answer.ways.push_back({"hybrid of GO and dyadic", "hybrid", hybrid.k, hybrid.total_fpr,
                         "dyadic attributes are asked level by level"});
  MixedDesign dyadic = design_mixed(request.load, mixed_options(request, false));
  answer.ways.push_back(
      {"dyadic prefixes", "dyadic", dyadic.k, dyadic.total_fpr, "asked level by level"});
  PlainBloom plain = plain_bloom(request.load, options.bits, options.k_low, options.k_high);
  answer.ways.push_back(
      {"plain Bloom filter", "plain_bloom", plain.k, plain.total_fpr, "every value inserted"});
  ExplicitRecord record = explicit_record(request.load, options.bits);
  answer.ways.push_back({"explicit end points", "explicit", 0, record.total_fpr,
                         "the values are readable; one interval each"});
}

Json to_json(const DesignRequest& request, const Answer& answer) {
  Json attributes = Json::array();
  for (std::size_t i = 0; i < answer.lines.size(); ++i) {
    const Line& line = answer.lines[i];
    const RangeLoad& range = request.load.ranges[i];
    const auto& attribute = request.attributes[i];
    Json one{{"name", attribute.name},
             {"scope", static_cast<std::int64_t>(range.size.scope)},
             {"low", attribute.low},
             {"high", attribute.high},
             {"width", static_cast<std::int64_t>(range.size.width)},
             {"weight", range.weight},
             {"query", static_cast<std::int64_t>(range.query)},
             {"scheme", line.scheme},
             {"k", line.scheme == "go" ? line.shape.k : answer.k}};
    bool dyadic = line.scheme == "dyadic";  // its cells are groups that share nothing
    one["d"] = dyadic ? std::int64_t{1} << line.level : line.shape.d;
    one["s"] = dyadic ? answer.k : line.shape.s;
    if (dyadic) one["level"] = line.level;
    one["positions"] = line.positions;
    one["fpr"] = line.fpr;
    attributes.push_back(one);
  }
  Json ways = Json::object();
  for (const Way& way : answer.ways) {
    ways[way.key] = {{"total_fpr", way.total_fpr}};
    if (way.k > 0) ways[way.key]["k"] = way.k;
  }
  double weight = request.load.texts.empty() ? 1 : request.load.texts[0].weight;
  return {{"bits", request.options.bits},
          {"k", answer.k},
          {"method", request.method},
          {"own_k", answer.own_k},
          {"total_fpr", answer.total_fpr},
          {"set_bits", answer.set_bits},
          {"positions", answer.positions},
          {"attributes", attributes},
          {"text",
           {{"count", texts_of(request)},
            {"weight", weight},
            {"positions", answer.text_positions},
            {"fpr", answer.text_fpr}}},
          {"same_bits", ways}};
}

std::string rate_text(double rate) { return fmt::format("{:.3e}", rate); }

void print_layout(const DesignRequest& request, const Answer& answer) {
  Table table({{"ATTRIBUTE"},
               {"SCOPE"},
               {"WIDTH", Align::right},
               {"ASKED", Align::right},
               {"LAYOUT"},
               {"POSITIONS", Align::right},
               {"FALSE POSITIVES", Align::right}});
  for (std::size_t i = 0; i < answer.lines.size(); ++i) {
    const Line& line = answer.lines[i];
    const auto& attribute = request.attributes[i];
    const RangeLoad& range = request.load.ranges[i];
    std::string layout = line.scheme == "go" ? fmt::format("d={} s={}", line.shape.d, line.shape.s)
                                             : fmt::format("dyadic, cells of 2^{}", line.level);
    if (answer.own_k) layout = fmt::format("k={} ", line.shape.k) + layout;
    table.add({attribute.name, fmt::format("{}..{}", attribute.low, attribute.high),
               fmt::format("{:.0f}", range.size.width), fmt::format("{:.0f}", range.query), layout,
               fmt::format("{:.1f}", line.positions), rate_text(line.fpr)});
  }
  if (int texts = texts_of(request); texts > 0) {
    table.add({fmt::format("{} text{}", texts, texts == 1 ? "" : "s, each"), "", "", "",
               answer.own_k ? fmt::format("k={}", answer.k) : "",
               fmt::format("{:.1f}", answer.text_positions / texts), rate_text(answer.text_fpr)});
  }
  table.add({"all", "", "", "", "", fmt::format("{:.1f}", answer.positions),
             rate_text(answer.total_fpr)});
  fmt::print("{}", table.text());
}

void print(const DesignRequest& request, const Answer& answer) {
  fmt::print("{} bits, k = {}{}, method {}: {} set ({:.0f} % full)\n\n", request.options.bits,
             answer.k, answer.own_k ? " for texts" : "", request.method,
             counted(static_cast<std::uint64_t>(std::llround(answer.set_bits)), "bit"),
             100 * answer.set_bits / request.options.bits);
  print_layout(request, answer);
  fmt::print("\nThe same profile in {} bits:\n", request.options.bits);
  Table ways({{"WAY"}, {"K", Align::right}, {"FALSE POSITIVES", Align::right}, {"NOTE"}});
  for (const Way& way : answer.ways) {
    ways.add(
        {way.name, way.k > 0 ? std::to_string(way.k) : "", rate_text(way.total_fpr), way.note});
  }
  fmt::print("{}", ways.text());
}

int run(const Globals& globals, const DesignArgs& args) {
  auto request = read_design(args);
  if (!request) return fail(globals, request.error());
  auto go = design(request->load, request->options);
  if (!go) return fail(globals, go.error());
  MixedDesign hybrid = design_mixed(request->load, mixed_options(*request, true));
  Answer answer;
  if (request->method == "hybrid") {
    answer_from_hybrid(*request, hybrid, answer);
  } else {
    answer_from_go(*request, *go, answer);
  }
  add_ways(*request, *go, hybrid, answer);
  if (globals.json) {
    fmt::print("{}\n", to_json(*request, answer).dump());
  } else {
    print(*request, answer);
  }
  return exit_code::ok;
}

}  // namespace

void add_filter_design(Command group, Globals& globals) {
  auto args = std::make_shared<DesignArgs>();
  Command tool = group.add_subcommand("design", "The best layout for a profile, beside its rivals");
  tool.add_option("--bits", args->bits, "Length of the filter, 8 to 1048576")
      .type_name("M")
      .required();
  tool.add_option("--k", args->k, "Positions per value: one number or a range A..B, 1 to 64")
      .type_name("K");
  tool.add_option(
          "--attr", args->attributes,
          "A number: its scope, how many neighbouring values a profile publishes, its weight")
      .type_name("NAME:LO..HI:WIDTH[:WEIGHT]")
      .repeatable();
  tool.add_option("--text", args->text, "How many texts the profile has").type_name("N[:WEIGHT]");
  tool.add_option("--method", args->method, "best, two-phase, thesis or hybrid").type_name("NAME");
  tool.add_option("--query", args->queries, "Ask for any value of a window this wide")
      .type_name("NAME:WIDTH")
      .repeatable();
  tool.action(globals, [args, &globals] { return run(globals, *args); });
}

}  // namespace beckon::cli
