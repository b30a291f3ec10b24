// SPDX-License-Identifier: MIT
#include "cli/commands/filter/filter.h"

#include <fmt/core.h>

#include "cli/args/program.h"

namespace beckon::cli {

void add_filter_words(Command filter, Globals& globals) {
  Command words = filter.add_subcommand("words", "");
  words.hide();
  words.action(globals, [filter] {
    fmt::print("{}", words_text(words_of(filter)));
    return exit_code::ok;
  });
}

}  // namespace beckon::cli
