// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace beckon::cli {

/// One command of the tree, as far as completion needs it.
struct CommandWords {
  struct Word {
    std::string text{};
    std::string help{};
  };
  std::string path{};  // "beckon net ring"
  std::vector<Word> commands{};
  std::vector<Word> flags{};  // the global ones included
};

/// A line for each command and flag, for another program to read: path, text and help between tabs.
std::string words_text(const std::vector<CommandWords>& tree);
std::vector<CommandWords> parse_words(const std::string& text);

std::string bash_completion(const std::vector<CommandWords>& tree);
std::string zsh_completion(const std::vector<CommandWords>& tree);
std::string fish_completion(const std::vector<CommandWords>& tree);

}  // namespace beckon::cli
