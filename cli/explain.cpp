#include "cli/explain.h"

#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <utility>

#include "base/log.h"
#include "cli/suggest.h"

namespace beckon::cli {

namespace {

std::vector<const CLI::App*> children_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
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
  std::string text = error.what();
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

}  // namespace

Mistake explain(const CLI::App& app, const CLI::ParseError& error,
                const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  std::string path = "beckon";
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

}  // namespace beckon::cli
