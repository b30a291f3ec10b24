#include "node/service/kernel/json_text.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/bytes.h"
#include "base/log.h"

namespace beckon::service {

namespace {

constexpr int max_depth = 16;
using nlohmann::json;

/// Watches the parser go by; notes the first rule that is broken.
class Rules {
 public:
  bool operator()(int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      keys_.emplace_back();
      if (keys_.size() > max_depth) note("JSON is nested more than 16 levels deep");
    } else if (event == json::parse_event_t::object_end ||
               event == json::parse_event_t::array_end) {
      keys_.pop_back();
    } else if (event == json::parse_event_t::key) {
      auto key = parsed.get<std::string>();
      if (!keys_.back().insert(key).second) {
        note(fmt::format("the key \"{}\" occurs twice in one JSON object", printable(key, 40)));
      }
    }
    return problem_.empty();
  }
  const std::string& problem() const { return problem_; }

 private:
  void note(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  std::vector<std::set<std::string>> keys_{};
  std::string problem_{};
};

/// Depth by counting brackets outside of strings: refuses a deep text before the parser recurses or
/// allocates for it.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > max_depth) return true;
  }
  return false;
}

}  // namespace

Result<json> parse_json(std::string_view text, std::size_t limit) {
  if (text.size() > limit) return invalid(fmt::format("JSON is longer than {} bytes", limit));
  if (!is_utf8(text)) return invalid("JSON is not UTF-8");
  if (too_deep(text)) return invalid("JSON is nested more than 16 levels deep");
  Rules rules;
  try {
    json parsed = json::parse(text, std::ref(rules));
    if (!rules.problem().empty()) return invalid(rules.problem());
    return parsed;
  } catch (const json::parse_error& error) {
    return invalid(fmt::format("not JSON at byte {}", error.byte));
  } catch (const json::exception&) {  // a number beyond every range
    return invalid("not JSON: a number is out of range");
  }
}

std::string to_text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace beckon::service
