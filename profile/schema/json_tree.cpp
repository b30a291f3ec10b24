#include "profile/schema/json_tree.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/log.h"

namespace beckon::profile {

namespace {

using Json = nlohmann::json;

/// Builds the tree from nlohmann's events; stops the parser at the first breach of a limit.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put({.kind = JsonTree::Kind::boolean, .yes = value}); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& digits) override { return number(digits); }
  bool string(string_t& value) override {
    return put({.kind = JsonTree::Kind::string, .text = std::move(value)});
  }
  bool binary(binary_t&) override { return stop("binary values are not JSON"); }
  bool start_object(std::size_t) override { return open(JsonTree::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonTree::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (open_.back()->members.size() >= limits_.members) {
      return stop(fmt::format("an object has more than {} members", limits_.members));
    }
    if (open_.back()->find(name) != nullptr) {
      return stop(fmt::format("\"{}\" occurs twice", printable(name, 60)));
    }
    open_.back()->members.emplace_back(std::move(name), JsonTree{});
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const Json::exception& why) override {
    constexpr int number_overflow = 406;
    if (why.id == number_overflow)
      return stop(fmt::format("the number {} is too large", printable(token, 40)));
    return stop(fmt::format("not JSON: cannot go on at byte {}", position));
  }

  JsonTree root{};
  std::string problem{};

 private:
  bool stop(std::string why) {
    if (problem.empty()) problem = std::move(why);
    return false;
  }
  bool number(std::string digits) {
    return put({.kind = JsonTree::Kind::number, .text = std::move(digits)});
  }
  JsonTree& place() {
    if (open_.empty()) return root;
    JsonTree& parent = *open_.back();
    if (parent.is(JsonTree::Kind::object)) return parent.members.back().second;
    return parent.items.emplace_back();
  }
  bool put(JsonTree value) {
    place() = std::move(value);
    return true;
  }
  bool open(JsonTree::Kind kind) {
    if (open_.size() >= limits_.depth)
      return stop(fmt::format("nested deeper than {} levels", limits_.depth));
    JsonTree& here = place();
    here.kind = kind;
    open_.push_back(&here);  // stays put: a parent grows only after its open child is closed
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  JsonLimits limits_;
  std::vector<JsonTree*> open_{};
};

}  // namespace

const JsonTree* JsonTree::find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string_view name_of(JsonTree::Kind kind) {
  switch (kind) {
    case JsonTree::Kind::null:
      return "null";
    case JsonTree::Kind::boolean:
      return "true or false";
    case JsonTree::Kind::number:
      return "a number";
    case JsonTree::Kind::string:
      return "a text";
    case JsonTree::Kind::array:
      return "a list";
    case JsonTree::Kind::object:
      return "an object";
  }
  return "";
}

Result<JsonTree> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return invalid(
        fmt::format("{} bytes of JSON, at most {} are allowed", text.size(), limits.bytes));
  }
  if (!is_utf8(text)) return invalid("not JSON: not UTF-8");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return invalid("not JSON: there is nothing in it");
  Builder builder(limits);
  try {
    if (Json::sax_parse(text, &builder)) return std::move(builder.root);
  } catch (const std::exception& e) {
    return invalid(std::string("not JSON: ") + e.what());
  }
  return invalid(builder.problem);
}

std::string json_quoted(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace beckon::profile
