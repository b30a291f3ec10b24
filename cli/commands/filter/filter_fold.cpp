// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "base/json.h"
#include "cli/commands/filter/filter.h"
#include "cli/render/numbers.h"
#include "cli/render/plot.h"
#include "cli/render/render.h"
#include "filters/folding/composite_numbers.h"
#include "filters/folding/folding.h"

namespace beckon::cli {

namespace {

using namespace filters;

struct Options {
  std::uint64_t bits = 0;
  std::uint64_t k = 0;
  std::uint64_t items = 0;
  std::string rate{};
  std::uint64_t sends = 0;
  std::string svg{};
};

std::optional<double> number(std::string_view text) {
  double out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return out;
}

Result<RateInterval> parse_rates(const std::string& text) {
  std::size_t dots = text.find("..");
  auto lo = number(std::string_view(text).substr(0, dots));
  auto hi = dots == std::string::npos ? lo : number(std::string_view(text).substr(dots + 2));
  if (!lo || !hi || !(*lo > 0) || !(*hi < 1) || !(*lo < *hi)) {
    return invalid("--rate must be LO..HI with 0 < LO < HI < 1, such as 0.005..0.01, got '" + text +
                   "'");
  }
  return RateInterval{.lo = *lo, .hi = *hi};
}

Result<void> check(const Options& options) {
  constexpr std::uint64_t most_bits = 1U << 31;
  if (options.bits < 8 || options.bits > most_bits) {
    return invalid(fmt::format("--bits must be 8 to {}, got {}", most_bits, options.bits));
  }
  if (options.k < 1 || options.k > 64) {
    return invalid(fmt::format("--k must be 1 to 64, got {}", options.k));
  }
  if (options.items < 1 || options.items > most_bits) {
    return invalid(fmt::format("--items must be 1 to {}, got {}", most_bits, options.items));
  }
  if (options.sends > 64)
    return invalid(fmt::format("--sends must be 0 to 64, got {}", options.sends));
  return {};
}

/// Sizes up to a quarter above the original's with the most divisors.
std::vector<SizeChoice> better_originals(std::uint32_t bits) {
  constexpr std::uint32_t widest = 1U << 20;
  std::uint32_t most = bits + std::min(bits / 4, widest);
  std::vector<SizeChoice> out = plan_original({.least = bits, .most = most}, 13, 3);
  std::uint32_t now = divisor_count(bits);
  std::erase_if(out, [&](const SizeChoice& choice) { return choice.divisors <= now; });
  return out;
}

std::string factors_of(std::uint32_t factor) {
  std::string out;
  for (std::uint32_t prime : prime_factors(factor)) {
    out += (out.empty() ? "" : "*") + std::to_string(prime);
  }
  return out.empty() ? "1" : out;
}

/// The entropy variant: the folds to send one after another, each another one.
std::vector<std::uint32_t> sequence(const FoldPlan& plan, std::uint64_t sends) {
  std::vector<std::uint32_t> admissible;
  for (const Fold& fold : plan.admissible) admissible.push_back(fold.size);
  std::vector<std::uint32_t> sent;
  while (sent.size() < sends) {
    std::uint32_t next = next_fold(admissible, sent);
    if (next == 0) break;
    sent.push_back(next);
  }
  return sent;
}

Json fold_json(const Fold& fold) {
  return {{"bits", fold.size}, {"factor", fold.factor}, {"rate", fold.rate}};
}

void print_json(const Options& options, const FoldPlan& plan) {
  Json out{{"bits", options.bits},
           {"k", options.k},
           {"items", options.items},
           {"wanted", {{"least", plan.wanted.least}, {"most", plan.wanted.most}}},
           {"within", plan.within},
           {"chosen", fold_json(plan.chosen)}};
  out["admissible"] = Json::array();
  for (const Fold& fold : plan.admissible) out["admissible"].push_back(fold_json(fold));
  out["sends"] = sequence(plan, options.sends);
  out["better_originals"] = Json::array();
  for (const SizeChoice& choice : better_originals(static_cast<std::uint32_t>(options.bits))) {
    out["better_originals"].push_back({{"bits", choice.size}, {"divisors", choice.divisors}});
  }
  fmt::print("{}\n", out.dump());
}

void print_text(const Options& options, const FoldPlan& plan) {
  auto bits = static_cast<std::uint32_t>(options.bits);
  using Align = Table::Align;
  Table table({{"bits", Align::right},
               {"bytes", Align::right},
               {"fold by", Align::right},
               {"factors"},
               {"rate", Align::right},
               {""}});
  auto add = [&](const Fold& fold) {
    table.add({std::to_string(fold.size), std::to_string((fold.size + 7) / 8),
               std::to_string(fold.factor), factors_of(fold.factor),
               fmt::format("{:.3g}", fold.rate),
               fold.size == plan.chosen.size ? "<- take this" : ""});
  };
  for (const Fold& fold : plan.admissible) add(fold);
  if (!plan.within) add(plan.chosen);
  fmt::print("sizes with that rate: {} .. {} bits\n", plan.wanted.least, plan.wanted.most);
  fmt::print("{}", table.text());
  if (!plan.within) {
    fmt::print("no divisor of {} lies in that interval; the next larger one is shown\n", bits);
  }
  if (options.sends > 0) {
    fmt::print("send one after another:");
    for (std::uint32_t size : sequence(plan, options.sends)) fmt::print(" {}", size);
    fmt::print("\n");
  }
  fmt::print("{} has {} divisors", bits, divisor_count(bits));
  std::string lead = "; larger sizes that fold better: ";
  for (const SizeChoice& choice : better_originals(bits)) {
    fmt::print("{}{} ({})", lead, choice.size, choice.divisors);
    lead = ", ";
  }
  fmt::print("\n");
}

/// All folds of the original by size and rate, those within the interval marked.
Plot make_plot(const Options& options, const FoldPlan& plan) {
  auto bits = static_cast<std::uint32_t>(options.bits);
  Plot plot;
  plot.title =
      fmt::format("Folds of {} bits with {} elements, k = {}", bits, options.items, options.k);
  plot.x = {.label = "bits after folding", .log = true};
  Plot::Series all{.name = "every fold", .style = Plot::Style::markers};
  Plot::Series good{.name = "within the interval", .style = Plot::Style::markers};
  double least = 0.1;
  for (std::uint32_t size : divisors(bits)) {
    double rate = false_positive_rate(size, static_cast<double>(options.items),
                                      static_cast<double>(options.k));
    bool within = size >= plan.wanted.least && size <= plan.wanted.most;
    // Folds that take nearly everything for a member are of no use and many.
    if (size < 8 || rate < 1e-12 || rate > 0.9) continue;
    (within ? good : all).points.emplace_back(size, rate);
    least = std::min(least, rate);
  }
  double decade = std::pow(10.0, std::floor(std::log10(least)));
  plot.y = {.label = "false positive rate", .log = true, .low = decade, .high = 1};
  plot.series = {std::move(all), std::move(good)};
  return plot;
}

int run(const Globals& globals, const Options& options) {
  auto checked = check(options);
  if (!checked) return fail(globals, checked.error());
  auto rates = parse_rates(options.rate);
  if (!rates) return fail(globals, rates.error());
  FoldPlan plan =
      plan_fold(static_cast<std::uint32_t>(options.bits), static_cast<double>(options.items),
                static_cast<double>(options.k), *rates);
  if (!options.svg.empty()) {
    auto written = write_file(options.svg, make_plot(options, plan).svg());
    if (!written) return fail(globals, exit_code::nothing, "--svg: " + written.error().text);
  }
  if (globals.json) {
    print_json(options, plan);
  } else {
    print_text(options, plan);
  }
  return plan.within ? exit_code::ok : exit_code::nothing;
}

}  // namespace

void add_filter_fold(Command filter, Globals& globals) {
  auto options = std::make_shared<Options>();
  Command command =
      filter.add_subcommand("fold", "Which folds of a filter have a wanted false positive rate");
  command.add_option("--bits", options->bits, "Length of the original filter")
      .type_name("M")
      .required();
  command.add_option("--k", options->k, "Positions of an element").type_name("K").required();
  command.add_option("--items", options->items, "Elements in the filter").type_name("N").required();
  command
      .add_option("--rate", options->rate,
                  "False positive rates to stay within, such as 0.005..0.01")
      .type_name("LO..HI")
      .required();
  command.add_option("--sends", options->sends, "Also the order in which to send N different folds")
      .type_name("N");
  command.add_option("--svg", options->svg, "Also draw all folds").type_name("FILE");
  command.action(globals, [options, &globals] { return run(globals, *options); });
}

}  // namespace beckon::cli
