// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/args/globals.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace beckon::cli {

/// A word or flag while it is described; all calls refine it and may be chained. A handle, valid as
/// long as the parser.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required() const;
  Argument type_name(const std::string& name) const;  // what the help shows for its value
  Argument show_default() const;
  Argument repeatable() const;  // may be given several times, with one value each
  Argument one_of(const std::vector<std::string>& words) const;
  Argument within(std::int64_t low, std::int64_t high) const;
  Argument excludes(const Argument& other) const;
  Argument from_environment(const std::string& name) const;

 private:
  CLI::Option* option_;
};

/// One command of the tree, as far as commands describe themselves. A handle like Argument. It
/// keeps CLI11 out of the command files: its headers take ten seconds to compile, in each file
/// again.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_subcommand(const std::string& name, const std::string& help) const;
  void require_subcommand() const;
  void hide() const;  // from help and completion

  Argument add_flag(const std::string& names, bool& to, const std::string& help) const;
  /// Into text, a number, an optional of these or a list of texts; command.cpp names the types.
  template <typename Value>
  Argument add_option(const std::string& names, Value& to, const std::string& help) const;

  /// Takes all words behind this command as they are, flags and --help too.
  void pass_on(std::vector<std::string>& to) const;

  /// Runs when this command was chosen, after every word was read well.
  void action(Globals& globals, std::function<int()> run) const;

  CLI::App& tree() const { return *app_; }  // for what walks over all commands

 private:
  CLI::App* app_;
};

/// Each adds its commands to the tree; the chosen one leaves its action in `globals`.
using Register = void (*)(Command app, Globals& globals);

}  // namespace beckon::cli
