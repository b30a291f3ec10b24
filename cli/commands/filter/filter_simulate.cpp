// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <memory>
#include <optional>

#include "base/json.h"
#include "cli/commands/filter/filter.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"
#include "filters/design/go_simulation.h"
#include "filters/go/go_model.h"

namespace beckon::cli {

namespace {

using namespace filters;

constexpr std::uint64_t max_trials = 100'000'000;

/// The flags as given; signed so that a minus is told, not wrapped.
struct SimulateFlags {
  std::int64_t bits = 512;
  std::int64_t k = 0;
  std::int64_t scope = 0;
  std::int64_t width = 0;
  std::int64_t d = 1;
  std::int64_t s = 0;
  std::optional<std::int64_t> any{};
  std::optional<std::int64_t> covers{};
  std::int64_t trials = 2000;
  std::uint64_t seed = 1;
};

Result<void> in_range(const char* flag, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return {};
  return invalid(fmt::format("{} must be {}..{}, got {}", flag, low, high, value));
}

Result<void> check_flags(const SimulateFlags& flags) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (auto ok = in_range("--bits", flags.bits, GoLayout::min_bits, GoLayout::max_bits); !ok)
    return ok;
  if (auto ok = in_range("--k", flags.k, 1, GoLayout::max_k); !ok) return ok;
  if (auto ok = in_range("--scope", flags.scope, 2, most); !ok) return ok;
  if (auto ok = in_range("--width", flags.width, 1, flags.scope - 1); !ok) return ok;
  if (auto ok = in_range("--d", flags.d, 1, flags.scope); !ok) return ok;
  if (auto ok = in_range("--s", flags.s, 1, flags.k); !ok) return ok;
  if (auto ok = in_range("--trials", flags.trials, 1, max_trials); !ok) return ok;
  if (auto ok = in_range("--covers", flags.covers.value_or(1), 1, flags.width); !ok) return ok;
  std::int64_t room = (flags.scope - flags.width + 1) / 2;
  return in_range("--any", flags.any.value_or(1), 1, std::max<std::int64_t>(room, 1));
}

SimulationSpec spec_of(const SimulateFlags& flags) {
  SimulationSpec spec;
  spec.bits = static_cast<std::uint32_t>(flags.bits);
  spec.k = static_cast<std::uint32_t>(flags.k);
  spec.ranges = {{.scope = static_cast<std::uint64_t>(flags.scope),
                  .width = static_cast<std::uint64_t>(flags.width),
                  .grouping = {.d = static_cast<std::uint64_t>(flags.d),
                               .s = static_cast<std::uint32_t>(flags.s)}}};
  spec.question = flags.covers ? Question::covers : flags.any ? Question::any : Question::value;
  spec.query = static_cast<std::uint64_t>(flags.covers.value_or(flags.any.value_or(1)));
  return spec;
}

double model_rate(const SimulationSpec& spec, const Fill& fill) {
  const SimulationSpec::Range& range = spec.ranges[0];
  RangeSize size{.scope = static_cast<double>(range.scope),
                 .width = static_cast<double>(range.width)};
  Shape shape{.k = static_cast<int>(spec.k),
              .d = static_cast<std::int64_t>(range.grouping.d),
              .s = static_cast<int>(range.grouping.s)};
  auto query = static_cast<double>(spec.query);
  switch (spec.question) {
    case Question::covers:
      return covers_fpr(size, shape, query, fill);
    case Question::any:
      return any_fpr(size, shape, query, fill);
    default:
      return go_fpr(size, shape, fill);
  }
}

struct Outcome {
  double model = 0;
  double corrected = 0;  // for the fluctuating fill of real filters
  double model_set_bits = 0;
  SimulationResult measured{};
};

Outcome simulate(const Globals& globals, const SimulationSpec& spec, const SimulateFlags& flags) {
  GoSimulation simulation(spec, Rng(flags.seed));
  auto trials = static_cast<std::uint64_t>(flags.trials);
  Progress progress(globals, "filters");
  for (std::uint64_t i = 1; i <= trials; ++i) {
    simulation.run_trial();
    progress.done(i, i, trials);
  }
  progress.clear();
  Shape shape{.k = static_cast<int>(flags.k), .d = flags.d, .s = static_cast<int>(flags.s)};
  double positions = go_positions(static_cast<double>(flags.width), shape);
  auto bits = static_cast<double>(flags.bits);
  return {.model = model_rate(spec, fill_of(positions, bits)),
          .corrected = model_rate(spec, fluctuating_fill(positions, bits)),
          .model_set_bits = expected_set_bits(positions, bits),
          .measured = simulation.result()};
}

void print_json(const Outcome& outcome) {
  Json out{{"model", outcome.model},
           {"measured", outcome.measured.rate},
           {"stderr", outcome.measured.standard_error},
           {"trials", outcome.measured.trials},
           {"false_negatives", outcome.measured.false_negatives},
           {"asked", outcome.measured.asked},
           {"model_corrected", outcome.corrected},
           {"model_set_bits", outcome.model_set_bits},
           {"set_bits", outcome.measured.set_bits}};
  if (outcome.measured.rate == 0) out["below"] = outcome.measured.below;
  fmt::print("{}\n", out.dump());
}

void print_table(const Outcome& outcome) {
  const SimulationResult& measured = outcome.measured;
  bool none = measured.rate == 0;
  Table table(
      {{""}, {"MODEL", Table::Align::right}, {"MEASURED", Table::Align::right}, {"± ERROR"}});
  table.add({"false positive rate", fmt::format("{:.4g}", outcome.model),
             none ? "none" : fmt::format("{:.4g}", measured.rate),
             none ? fmt::format("none of {}; below {:.2g} at 95 %", grouped(measured.asked),
                                measured.below)
                  : fmt::format("{:.2g}", measured.standard_error)});
  table.add({"bits set", fmt::format("{:.1f}", outcome.model_set_bits),
             fmt::format("{:.1f}", measured.set_bits), ""});
  fmt::print("{}", table.text());
  fmt::print("{}, {}. Counting the fluctuation of the fill, the model says {:.4g}.\n",
             counted(measured.trials, "filter"),
             counted(measured.false_negatives, "false negative"), outcome.corrected);
}

int run(const Globals& globals, const SimulateFlags& flags) {
  if (auto ok = check_flags(flags); !ok) return fail(globals, ok.error());
  SimulationSpec spec = spec_of(flags);
  if (auto ok = GoSimulation::check(spec); !ok) return fail(globals, ok.error());
  Outcome outcome = simulate(globals, spec, flags);
  globals.json ? print_json(outcome) : print_table(outcome);
  return exit_code::ok;
}

}  // namespace

void add_filter_simulate(Command filter, Globals& globals) {
  auto flags = std::make_shared<SimulateFlags>();  // lives as long as the callback below
  Command command = filter.add_subcommand(
      "simulate", "Build real filters and count their mistakes beside the model");
  command.add_option("--bits", flags->bits, "Length of the filter").required();
  command.add_option("--k", flags->k, "Positions of one element").required();
  command.add_option("--scope", flags->scope, "How many values the attribute can take").required();
  command.add_option("--width", flags->width, "How many neighbouring values are published")
      .required();
  command.add_option("--d", flags->d, "Values in a group").required();
  command.add_option("--s", flags->s, "Fresh positions of a group; k means no overlapping")
      .required();
  Argument any = command.add_option("--any", flags->any, "Ask for any value of a window this wide")
                     .type_name("WIDTH");
  command.add_option("--covers", flags->covers, "Ask whether a window this wide is covered")
      .type_name("WIDTH")
      .excludes(any);
  command.add_option("--trials", flags->trials, "Filters to build").show_default();
  command.add_option("--seed", flags->seed, "Same seed, same result").show_default();
  command.action(globals, [flags, &globals] { return run(globals, *flags); });
}

}  // namespace beckon::cli
