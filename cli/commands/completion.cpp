// SPDX-License-Identifier: MIT
#include "cli/args/completion.h"

#include <fmt/core.h>

#include <memory>

#include "cli/args/program.h"
#include "cli/commands/daemon.h"
#include "cli/commands/filter.h"

namespace beckon::cli {

namespace {

int print(const Command& root, const std::string& shell) {
  std::vector<CommandWords> tree = words_of(root);
  std::vector<CommandWords> filter = filter_words();
  auto known = [&](const CommandWords& command) {
    return !filter.empty() && command.path == filter.front().path;
  };
  std::erase_if(tree, known);  // beckon-filter knows better what comes behind "beckon filter"
  tree.insert(tree.end(), filter.begin(), filter.end());
  fmt::print("{}", shell == "bash"  ? bash_completion(tree)
                   : shell == "zsh" ? zsh_completion(tree)
                                    : fish_completion(tree));
  return exit_code::ok;
}

}  // namespace

void add_completion(Command app, Globals& globals) {
  Command command = app.add_subcommand("completion", "Print the completion script of a shell");
  auto shell = std::make_shared<std::string>();  // kept by the action
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      .required()
      .type_name("")
      .one_of({"bash", "zsh", "fish"});
  command.action(globals, [app, shell] { return print(app, *shell); });
}

}  // namespace beckon::cli
