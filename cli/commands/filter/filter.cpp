// SPDX-License-Identifier: MIT
#include "cli/commands/filter/filter.h"

#include <fmt/core.h>

#include <memory>

#include "cli/args/program.h"
#include "cli/commands/filter/filter_compare.h"
#include "cli/commands/filter/filter_design.h"
#include "cli/commands/filter/filter_draw.h"

namespace beckon::cli {

namespace {

// The words are kept as typed and read by the tools, so that every refusal can name its flag. The
// arguments are shared because the parser and the action left behind both outlive this call.
template <typename Args>
Command add_tool(Command group, Globals& globals, const char* name, const char* help,
                 std::shared_ptr<Args> args, int (*run)(const Globals&, const Args&)) {
  Command tool = group.add_subcommand(name, help);
  tool.action(globals, [&globals, args, run] { return run(globals, *args); });
  return tool;
}

}  // namespace

void add_filter_design(Command group, Globals& globals) {
  auto args = std::make_shared<DesignArgs>();
  Command tool = add_tool(group, globals, "design",
                          "The best layout for a profile, beside its rivals", args, run_design);
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
}

void add_filter_compare(Command group, Globals& globals) {
  auto args = std::make_shared<CompareArgs>();
  Command tool = add_tool(group, globals, "compare", "Four schemes at their best, width by width",
                          args, run_compare);
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
}

void add_filter_draw(Command group, Globals& globals) {
  auto args = std::make_shared<DrawArgs>();
  Command tool = add_tool(group, globals, "draw", "A picture of groups and overlapping positions",
                          args, run_draw);
  tool.add_option("--k", args->k, "Positions per value, 1 to 16").type_name("K").required();
  tool.add_option("--d", args->d, "Values per group, 1 to 12").type_name("D").required();
  tool.add_option("--s", args->s, "Fresh positions per group, 1 to k").type_name("S").required();
  tool.add_option("--range", args->range, "The published values, within 0..39")
      .type_name("A..B")
      .required();
  tool.add_option("--svg", args->svg, "Where to write it").type_name("FILE").required();
}

void add_filter_words(Command filter, Globals& globals) {
  Command words = filter.add_subcommand("words", "");
  words.hide();
  words.action(globals, [filter] {
    fmt::print("{}", words_text(words_of(filter)));
    return exit_code::ok;
  });
}

}  // namespace beckon::cli
