// SPDX-License-Identifier: MIT
#include "cli/args/completion.h"

#include <fmt/core.h>

#include <sstream>
#include <utility>

namespace beckon::cli {

namespace {

std::string join(const std::vector<CommandWords::Word>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + word.text;
  return out;
}

std::string all_words(const CommandWords& command) {
  std::string commands = join(command.commands);
  return commands + (commands.empty() ? "" : " ") + join(command.flags);
}

/// A shell pattern that matches every path but the root: `"beckon net"|"beckon net ring"`.
std::string deeper_paths(const std::vector<CommandWords>& tree) {
  std::string out;
  for (const CommandWords& command : tree) {
    if (command.path.find(' ') == std::string::npos) continue;
    out += fmt::format("{}\"{}\"", out.empty() ? "" : "|", command.path);
  }
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("\\'") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string words_text(const std::vector<CommandWords>& tree) {
  std::string out;
  for (const CommandWords& command : tree) {
    out += command.path + "\t\t\n";
    for (const auto* words : {&command.commands, &command.flags}) {
      for (const CommandWords::Word& word : *words)
        out += fmt::format("{}\t{}\t{}\n", command.path, word.text, word.help);
    }
  }
  return out;
}

std::vector<CommandWords> parse_words(const std::string& text) {
  std::vector<CommandWords> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto first = line.find('\t');
    auto second = line.find('\t', first + 1);
    if (first == line.npos || second == line.npos) continue;
    std::string path = line.substr(0, first);
    CommandWords::Word word{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
    if (out.empty() || out.back().path != path) out.push_back({.path = path});
    if (word.text.empty()) continue;
    auto& list = word.text.starts_with("-") ? out.back().flags : out.back().commands;
    list.push_back(std::move(word));
  }
  return out;
}

std::string bash_completion(const std::vector<CommandWords>& tree) {
  std::string out = fmt::format(
      "# bash completion for beckon; load it with: source <(beckon completion bash)\n"
      "_beckon() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} path=beckon word words=\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case \"$path $word\" in\n      {}) path=\"$path $word\" ;;\n    esac\n  done\n"
      "  case \"$path\" in\n",
      deeper_paths(tree));
  for (const CommandWords& command : tree) {
    out += fmt::format("    \"{}\") words=\"{}\" ;;\n", command.path, all_words(command));
  }
  return out +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -o default -F _beckon beckon\n";
}

std::string zsh_completion(const std::vector<CommandWords>& tree) {
  std::string out = fmt::format(
      "#compdef beckon\n"
      "# zsh completion for beckon; save it as _beckon in a folder of $fpath\n"
      "_beckon() {{\n"
      "  local at=beckon word\n"
      "  for word in \"${{(@)words[2,CURRENT-1]}}\"; do\n"
      "    case \"$at $word\" in\n      {}) at=\"$at $word\" ;;\n    esac\n  done\n"
      "  case \"$at\" in\n",
      deeper_paths(tree));
  for (const CommandWords& command : tree) {
    out += fmt::format("    \"{}\") compadd -- {} ;;\n", command.path, all_words(command));
  }
  return out +
         "  esac\n"
         "}\n"
         "compdef _beckon beckon\n";
}

std::string fish_completion(const std::vector<CommandWords>& tree) {
  std::string out =
      "# fish completion for beckon; save it as ~/.config/fish/completions/beckon.fish\n"
      "function __beckon_at\n"
      "  set -l at beckon\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    contains -- \"$at $word\" $__beckon_paths; and set at \"$at $word\"\n"
      "  end\n"
      "  test \"$at\" = \"$argv\"\n"
      "end\n"
      "set -g __beckon_paths";
  for (const CommandWords& command : tree) out += " " + quoted(command.path);
  out += "\n";
  for (const CommandWords& command : tree) {
    for (const auto& word : command.commands) {
      out += fmt::format("complete -c beckon -n '__beckon_at {}' -a {} -d {}\n", command.path,
                         word.text, quoted(word.help));
    }
    for (const auto& flag : command.flags) {
      if (!flag.text.starts_with("--")) continue;
      out += fmt::format("complete -c beckon -n '__beckon_at {}' -l {} -d {}\n", command.path,
                         flag.text.substr(2), quoted(flag.help));
    }
  }
  return out;
}

}  // namespace beckon::cli
