#include "cli/completion.h"

#include <fmt/core.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "cli/commands/daemon.h"

namespace beckon::cli {

namespace {

void add_flags(const CLI::App& app, std::vector<CommandWords::Word>& out) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      out.push_back({"--" + name, option->get_description()});
    }
  }
}

void collect(const CLI::App& app, const std::string& path,
             const std::vector<CommandWords::Word>& global, std::vector<CommandWords>& out) {
  CommandWords command{.path = path};
  auto below = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* child : below)
    command.commands.push_back({child->get_name(), child->get_description()});
  add_flags(app, command.flags);
  if (path != "beckon") command.flags.insert(command.flags.end(), global.begin(), global.end());
  out.push_back(std::move(command));
  for (const CLI::App* child : below) collect(*child, path + " " + child->get_name(), global, out);
}

int print(const CLI::App& app, const std::string& shell) {
  std::vector<CommandWords::Word> global;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help" && name != "version")
        global.push_back({"--" + name, option->get_description()});
    }
  }
  std::vector<CommandWords> tree;
  collect(app, "beckon", global, tree);
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
  command.action(globals, [app, shell] { return print(app.tree(), *shell); });
}

}  // namespace beckon::cli
