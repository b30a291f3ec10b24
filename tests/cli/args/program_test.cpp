// SPDX-License-Identifier: MIT
#include "cli/args/program.h"

#include <doctest/doctest.h>

#include <memory>

#include "cli/args/word_name.h"
#include "tests/cli/run_beckon.h"

using namespace beckon::cli;
using beckon::tests::Ran;
using beckon::tests::run_beckon;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void add_same_flag_twice(Command app, Globals& globals) {
  auto given = std::make_shared<bool>();
  app.add_flag("--twice", *given, "");
  app.add_flag("--twice", *given, "");
  app.action(globals, [given] { return exit_code::ok; });
}

}  // namespace

TEST_SUITE("cli/program") {
  TEST_CASE("help and mistakes show a word as K=V although CLI11 refuses that name") {
    Ran help = run_beckon({"profile", "set", "--help"});
    CHECK(help.exit == exit_code::ok);
    CHECK(has(help.out, "[OPTIONS] K=V...\n"));
    CHECK(has(help.out, "\n  K=V ... REQUIRED "));
    Ran none = run_beckon({"profile", "set"});
    CHECK(none.exit == exit_code::usage);
    CHECK(has(none.err, "K=V is required"));
  }

  TEST_CASE("only the names of words are spelled otherwise for CLI11") {
    CHECK(spelled_for_cli11("--flag=x") == "--flag=x");
    CHECK(spelled_for_cli11("WHO") == "WHO");
    std::string name = spelled_for_cli11("A=B=C");
    CHECK_FALSE(has(name, "="));
    CHECK(spelled_for_people("Error: " + name + " is required") == "Error: A=B=C is required");
  }

  TEST_CASE("a tree of commands that CLI11 refuses ends the program with a code of its own") {
    char name[] = "beckon";
    char* words[] = {name, nullptr};
    Program program{.name = "beckon", .commands = {add_same_flag_twice}};
    CHECK(run_program(program, 1, words) == exit_code::bug);
  }
}
