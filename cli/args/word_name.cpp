// SPDX-License-Identifier: MIT
#include "cli/args/word_name.h"

#include <string_view>
#include <utility>

namespace beckon::cli {

namespace {

constexpr std::string_view sign = "=";
constexpr std::string_view stand_in = "(equals)";  // CLI11 takes it, and nobody writes it

std::string with_replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::string spelled_for_cli11(std::string names) {
  if (names.starts_with('-')) return names;
  return with_replaced(std::move(names), sign, stand_in);
}

std::string spelled_for_people(std::string text) {
  return with_replaced(std::move(text), stand_in, sign);
}

}  // namespace beckon::cli
