// SPDX-License-Identifier: MIT
#include "cli/render/disclosure.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "cli/render/value_text.h"

namespace beckon::cli {

namespace {

void print_values(std::FILE* to, const char* heading, const Json& names, const Json& profile) {
  if (names.empty()) return;
  fmt::print(to, "{}\n", heading);
  std::size_t width = 0;
  for (const Json& name : names) width = std::max(width, name.get<std::string>().size());
  for (const Json& name : names) {
    const std::string& text = name.text();
    fmt::print(to, "  {:{}}  {}\n", text, width, value_text(profile.value(text, Json())));
  }
}

}  // namespace

void print_disclosure(std::FILE* to, const Json& reply) {
  const Json& profile = reply["profile"];
  print_values(to, "Everybody can find you by this and see it:", reply["public"], profile);
  print_values(to, "Everybody can find you by this, but it is not shown:", reply["match"], profile);
  print_values(to, "This stays on your node:", reply["private"], profile);
}

}  // namespace beckon::cli
