// SPDX-License-Identifier: MIT
#include "cli/args/command.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <optional>
#include <type_traits>

#include "cli/args/word_name.h"

namespace beckon::cli {

Argument Argument::required() const { return Argument(option_->required()); }

Argument Argument::type_name(const std::string& name) const {
  return Argument(option_->type_name(name));
}

Argument Argument::show_default() const { return Argument(option_->capture_default_str()); }

Argument Argument::repeatable() const {
  return Argument(option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}

Argument Argument::one_of(const std::vector<std::string>& words) const {
  return Argument(option_->check(CLI::IsMember(words)));
}

Argument Argument::within(std::int64_t low, std::int64_t high) const {
  return Argument(option_->check(CLI::Range(low, high)));
}

Argument Argument::excludes(const Argument& other) const {
  return Argument(option_->excludes(other.option_));
}

Argument Argument::from_environment(const std::string& name) const {
  return Argument(option_->envname(name));
}

Command Command::add_subcommand(const std::string& name, const std::string& help) const {
  return Command(app_->add_subcommand(name, help));
}

void Command::require_subcommand() const { app_->require_subcommand(1); }

void Command::hide() const { app_->group(""); }

Argument Command::add_flag(const std::string& names, bool& to, const std::string& help) const {
  return Argument(app_->add_flag(names, to, help));
}

namespace {

/// An empty value, as of a variable that is not set, must never mean the default: `up --join ""`
/// would found a ring of its own.
const CLI::Validator not_empty(
    [](const std::string& text) -> std::string {
      return text.empty() ? "needs a value, got an empty one" : "";
    },
    "");

/// CLI11 would take -1 for 2^64 - 1 without a word.
const CLI::Validator not_negative(
    [](const std::string& text) -> std::string {
      if (text.empty() || text[0] != '-') return {};
      return "must be a whole number of 0 or more, got " + text;
    },
    "");

template <typename Value>
constexpr bool is_unsigned =
    std::is_unsigned_v<Value> || std::is_same_v<Value, std::optional<std::uint64_t>>;

}  // namespace

template <typename Value>
Argument Command::add_option(const std::string& names, Value& to, const std::string& help) const {
  CLI::Option* option = app_->add_option(spelled_for_cli11(names), to, help);
  if (is_unsigned<Value>) option->check(not_negative);
  if (!option->get_positional()) option->check(not_empty);
  return Argument(option);
}

template Argument Command::add_option(const std::string&, std::string&, const std::string&) const;
template Argument Command::add_option(const std::string&, std::vector<std::string>&,
                                      const std::string&) const;
template Argument Command::add_option(const std::string&, std::uint32_t&, const std::string&) const;
template Argument Command::add_option(const std::string&, std::int64_t&, const std::string&) const;
template Argument Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Argument Command::add_option(const std::string&, double&, const std::string&) const;
template Argument Command::add_option(const std::string&, std::optional<std::int64_t>&,
                                      const std::string&) const;
template Argument Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                      const std::string&) const;

void Command::pass_on(std::vector<std::string>& to) const {
  app_->set_help_flag();
  app_->footer("Its commands and flags: beckon " + app_->get_name() + " --help");
  app_->fallthrough(false);
  app_->prefix_command();
  app_->parse_complete_callback([app = app_, &to] { to = app->remaining(); });
}

void Command::action(Globals& globals, std::function<int()> run) const {
  app_->callback([&globals, run = std::move(run)] { globals.action = run; });
}

}  // namespace beckon::cli
