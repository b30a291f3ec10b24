// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/args/command.h"
#include "cli/args/completion.h"

namespace beckon::cli {

/// A program of the command line: `beckon`, or one beside it that does the work of one of its
/// commands, as `beckon-filter` does. All share the global flags and the way mistakes are told.
struct Program {
  std::string name{};  // as a person types it: "beckon", "beckon filter"
  std::string about{};
  std::string version{};
  std::vector<Register> commands{};
  bool needs_command = false;  // without one: a mistake, not a call for help
};

/// Reads the words, runs the chosen command and returns the exit code. What is thrown on the way
/// ends here, in a sentence.
int run_program(const Program& program, int argc, char** argv);

/// Every command and flag of the tree, for completion.
std::vector<CommandWords> words_of(const Command& root);

}  // namespace beckon::cli
