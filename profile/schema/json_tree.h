#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace beckon::profile {

struct JsonLimits {
  std::size_t bytes = 64 * 1024;
  std::size_t depth = 16;
  std::size_t members = 256;  // of one object
};

/// JSON as somebody wrote it: members in their order, numbers as their digits (so that decimals
/// stay exact). No duplicate members, nothing beyond the limits.
struct JsonTree {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  bool yes = false;                                         // boolean
  std::string text{};                                       // string, or a number's digits
  std::vector<JsonTree> items{};                            // array
  std::vector<std::pair<std::string, JsonTree>> members{};  // object

  bool is(Kind k) const { return kind == k; }
  const JsonTree* find(std::string_view name) const;  // of an object; nullptr if absent
};

std::string_view name_of(JsonTree::Kind kind);

Result<JsonTree> parse_json(std::string_view text, const JsonLimits& limits = {});

std::string json_quoted(std::string_view text);  // with its quotation marks

}  // namespace beckon::profile
