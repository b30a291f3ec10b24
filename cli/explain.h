#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace beckon::cli {

struct Mistake {
  std::string message{};
  std::string hint{};
};

/// What to say of words CLI11 did not understand: which of them is no command or flag where it
/// stands, and what was probably meant; else CLI11's own sentence.
Mistake explain(const CLI::App& app, const CLI::ParseError& error,
                const std::vector<std::string>& words);

}  // namespace beckon::cli
