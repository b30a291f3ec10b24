// SPDX-License-Identifier: MIT
#include "cli/args/completion.h"

#include <doctest/doctest.h>

using namespace beckon::cli;

TEST_SUITE("cli/completion") {
  const std::vector<CommandWords> tree{
      {"beckon", {{"net", "Look"}, {"up", "Start it's node"}}, {{"--json", "JSON"}}},
      {"beckon net", {{"ring", "Ring"}}, {}},
      {"beckon up", {}, {{"--join", "A node"}}},
  };

  TEST_CASE("every command and flag of the tree is in each script, at its place") {
    std::string bash = bash_completion(tree);
    CHECK(bash.find("\"beckon\") words=\"net up --json\"") != std::string::npos);
    CHECK(bash.find("\"beckon up\") words=\"--join\"") != std::string::npos);
    std::string zsh = zsh_completion(tree);
    CHECK(zsh.find("#compdef beckon\n") == 0);
    CHECK(zsh.find("\"beckon net\") compadd -- ring") != std::string::npos);
    std::string fish = fish_completion(tree);
    CHECK(fish.find("complete -c beckon -n '__beckon_at beckon net' -a ring -d 'Ring'") !=
          std::string::npos);
    CHECK(fish.find("-l join") != std::string::npos);
  }

  TEST_CASE("a quote in a help text does not break out of the script") {
    CHECK(fish_completion(tree).find("'Start it\\'s node'") != std::string::npos);
  }
}
