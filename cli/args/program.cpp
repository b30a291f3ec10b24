// SPDX-License-Identifier: MIT
#include "cli/args/program.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/text.h"
#include "cli/args/suggest.h"
#include "cli/args/word_name.h"

namespace beckon::cli {

namespace {

struct Mistake {
  std::string message{};
  std::string hint{};
};

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    return spelled_for_people(CLI::Formatter::make_option_name(option, is_positional));
  }
};

std::vector<const CLI::App*> children_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* child) { return !child->get_group().empty(); });
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* child : children_of(app)) out.push_back(child->get_name());
  return out;
}

void add_flags(const CLI::App& app, std::vector<std::string>& out) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
}

/// Whether the word behind this flag belongs to it.
bool takes_next(const CLI::App& app, const CLI::App& at, const std::string& raw) {
  if (!raw.starts_with("-") || raw.find('=') != raw.npos) return false;
  for (const CLI::App* owner : {&at, &app}) {
    const CLI::Option* option = owner->get_option_no_throw(raw);
    if (option != nullptr) return option->get_items_expected_max() > 0;
  }
  return false;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// CLI11's sentence, or a plainer one where its own does not say what to do.
std::string sentence_of(const CLI::ParseError& error) {
  std::string text = spelled_for_people(error.what());
  constexpr std::string_view twice = ": At Most 1 required but received ";
  if (auto at = text.find(twice); at != std::string::npos)
    return fmt::format("{} may be given only once", text.substr(0, at));
  constexpr std::string_view not_read = "Could not convert: ";
  if (auto at = text.find(" = "); text.starts_with(not_read) && at != std::string::npos)
    return fmt::format("{} must be a number, got '{}'",
                       text.substr(not_read.size(), at - not_read.size()),
                       printable(text.substr(at + 3), 60));
  return text;
}

/// A group of commands was named, and none of them.
Mistake missing_command(const CLI::App& group, const std::string& path,
                        const std::string& instead) {
  std::string choices = fmt::format("Choose: {}", fmt::join(commands_of(group), ", "));
  if (instead.empty()) return {fmt::format("'{}' needs a command", path), choices};
  return {fmt::format("'{}' has no command '{}'", path, printable(instead, 60)), choices};
}

/// What to say of words CLI11 did not understand: which of them is no command or flag where it
/// stands, and what was probably meant; else CLI11's own sentence.
Mistake explain(const CLI::App& app, const CLI::ParseError& error,
                const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  std::string path = app.get_name();
  std::string unknown;  // the first word that is neither a command nor a flag
  int code = error.get_exit_code();
  bool unknown_word = code == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
                      code == static_cast<int>(CLI::ExitCodes::RequiredError);
  bool skip = false;
  for (const std::string& raw : words) {
    if (std::exchange(skip, takes_next(app, *at, raw)) && !raw.starts_with("-")) continue;
    std::string word = raw.substr(0, raw.find('='));
    bool is_flag = word.starts_with("--");
    std::vector<std::string> names = is_flag ? std::vector<std::string>{} : commands_of(*at);
    if (is_flag) {
      add_flags(app, names);
      if (at != &app) add_flags(*at, names);
    }
    if (contains(names, word)) {
      if (is_flag) continue;
      at = at->get_subcommand(word);
      unknown.clear();
      path += " " + word;
      continue;
    }
    if (!is_flag && !raw.starts_with("-") && unknown.empty()) unknown = word;
    auto near = suggest(word, names);
    if (near.empty() || !unknown_word) continue;
    return {
        fmt::format("'{}' has no {} '{}'", path, is_flag ? "flag" : "command", printable(word, 60)),
        fmt::format("Did you mean: {} {}", path, near.front())};
  }
  std::string hint = fmt::format("See: {} --help", path);
  if (code == static_cast<int>(CLI::ExitCodes::RequiredError) && !commands_of(*at).empty())
    return missing_command(*at, path, unknown);
  bool extra = code == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (auto left = app.remaining(true); extra && !left.empty()) {
    bool wants_command = !commands_of(*at).empty() && !left.front().starts_with("-");
    return {fmt::format("'{}' {} '{}'", path, wants_command ? "has no command" : "does not take",
                        printable(left.front(), 60)),
            hint};
  }
  return {sentence_of(error), hint};
}

void add_globals(Command app, Globals& globals) {
  app.add_option("--home", globals.home, "Keep config, state and socket of one instance below DIR")
      .type_name("DIR")
      .from_environment("BECKON_HOME");
  app.add_option("--as", globals.as, "Act as this hosted user").type_name("USER");
  app.add_flag("--json", globals.json, "Answer in JSON on stdout");
  app.add_flag("-q,--quiet", globals.quiet, "Say less");
  app.add_flag("-v,--verbose", globals.verbose, "Say more");
  app.add_option("--color", globals.color, "auto, always or never")
      .one_of({"auto", "always", "never"});
}

/// `--join=` with nothing behind it, for which CLI11 would take the next word.
std::string flag_without_value(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return {};
    if (word.starts_with("--") && word.ends_with("=")) return word.substr(0, word.size() - 1);
  }
  return {};
}

int misused(Globals& globals, const std::vector<std::string>& words, const Mistake& mistake) {
  // CLI11 stores flags only after all of them were read well, so ask the raw words.
  globals.json = contains(words, "--json");
  return fail(globals, exit_code::usage, mistake.message, mistake.hint);
}

void add_words(const CLI::App& app, const std::string& path,
               const std::vector<CommandWords::Word>& global, std::vector<CommandWords>& out) {
  CommandWords command{.path = path};
  for (const CLI::App* child : children_of(app))
    command.commands.push_back({child->get_name(), child->get_description()});
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      command.flags.push_back({"--" + name, option->get_description()});
  }
  if (!out.empty()) command.flags.insert(command.flags.end(), global.begin(), global.end());
  out.push_back(std::move(command));
  for (const CLI::App* child : children_of(app))
    add_words(*child, path + " " + child->get_name(), global, out);
}

/// Parses and runs; what CLI11 throws while the tree is built ends in run_program().
int parse_and_run(const Program& program, const std::vector<std::string>& words) {
  CLI::App app(program.about, program.name);
  app.set_version_flag("--version", program.version);
  app.require_subcommand(program.needs_command ? 1 : 0, 1);
  app.fallthrough();
  app.formatter(std::make_shared<HelpFormatter>());  // commands below take it over
  Globals globals;
  add_globals(Command(&app), globals);
  for (Register add : program.commands) add(Command(&app), globals);
  if (std::string flag = flag_without_value(words); !flag.empty())
    return misused(globals, words, {flag + ": needs a value, got an empty one", ""});
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 wants them reversed
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return misused(globals, words, explain(app, error, words));
  }
  if (!globals.action) {
    std::fputs(app.help().c_str(), stdout);
    return exit_code::usage;
  }
  return globals.action();
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  try {
    return parse_and_run(program, {argv + 1, argv + argc});
  } catch (const CLI::Error& error) {  // the tree of commands is not to this CLI11's taste
    fmt::print(stderr, "{}: this build of Beckon does not fit its command line library ({}: {})\n",
               program.name, error.get_name(), error.what());
    return exit_code::bug;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: this should not happen, please report it: {}\n", program.name,
               printable(error.what(), 200));
    return exit_code::bug;
  }
}

std::vector<CommandWords> words_of(const Command& root) {
  const CLI::App& app = root.tree();
  std::vector<CommandWords::Word> global;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help" && name != "version")
        global.push_back({"--" + name, option->get_description()});
    }
  }
  std::vector<CommandWords> out;
  add_words(app, app.get_name(), global, out);
  return out;
}

}  // namespace beckon::cli
