#include "cli/commands/filter.h"

namespace beckon::cli {

void add_filter(CLI::App& app, Globals& globals) {
  CLI::App* group =
      app.add_subcommand("filter", "Design, compare and examine filters; needs no daemon");
  group->require_subcommand(1);
  // Each tool registers itself here: add_filter_NAME(*group, globals).
  add_filter_count(*group, globals);
  add_filter_fold(*group, globals);
}

}  // namespace beckon::cli
