// SPDX-License-Identifier: MIT
#include "cli/render/value_text.h"

#include "base/json.h"
#include "base/text.h"
#include "cli/render/columns.h"

namespace beckon::cli {

namespace {

std::string raw_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("min") && value.contains("max"))
    return raw_text(value["min"]) + ".." + raw_text(value["max"]);
  if (value.is_array()) {
    std::string out;
    for (const Json& item : value) out += (out.empty() ? "" : ", ") + raw_text(item);
    return out;
  }
  return value.is_null() ? "" : value.dump();
}

}  // namespace

std::string value_text(const Json& value, std::size_t limit) {
  return cut_to(printable(raw_text(value)), limit);
}

Result<std::vector<std::string>> split_items(std::string_view text) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '\\' && i + 1 < text.size()) {
      out.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  if (quoted) return invalid("a quotation mark is not closed");
  return out;
}

}  // namespace beckon::cli
