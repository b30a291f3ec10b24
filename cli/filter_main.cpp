// SPDX-License-Identifier: MIT
// The laboratory around the filters. `beckon filter ...` runs this program.
#include "cli/args/program.h"
#include "cli/commands/filter/filter.h"
#include "config/version.h"

int main(int argc, char** argv) {
  using namespace beckon::cli;
  return run_program(
      {.name = "beckon filter",
       .about = "Design, compare and examine filters; needs no daemon",
       .version = beckon::config::version_text(),
       .commands = {add_filter_design, add_filter_compare, add_filter_draw, add_filter_count,
                    add_filter_ask, add_filter_errors, add_filter_exchange, add_filter_fold,
                    add_filter_inspect, add_filter_simulate, add_filter_tree, add_filter_words},
       .needs_command = true},
      argc, argv);
}
