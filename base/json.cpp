// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/text.h"

namespace beckon {

namespace {

const Json null_json{};

template <typename Number>
bool read_digits(const std::string& digits, Number& out) {
  const char* end = digits.data() + digits.size();
  auto [stop, problem] = std::from_chars(digits.data(), end, out);
  return problem == std::errc{} && stop == end;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

void break_line(std::string& out, int indent, int depth) {
  if (indent < 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
}

}  // namespace

/// Builds a value from nlohmann's events; stops the parser at the first breach of a limit.
class JsonBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonBuilder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t, const string_t& digits) override {
    Json number(digits, Json::Kind::number);
    number.flag_ = !limits_.digits_as_written;
    return put(std::move(number));
  }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return stop("binary values are not JSON"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return no_name_twice() && end_array(); }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    Json& object = *open_.back();
    if (object.names_.size() >= limits_.members)
      return stop(fmt::format("an object has more than {} members", limits_.members));
    object.names_.push_back(std::move(name));
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& why) override {
    constexpr int number_overflow = 406;
    if (why.id == number_overflow)
      return stop(fmt::format("the number {} is too large", printable(token, 40)));
    return stop(fmt::format("not JSON: cannot go on at byte {}", position));
  }

  Json root{};
  std::string problem{};

 private:
  bool stop(std::string why) {
    if (problem.empty()) problem = std::move(why);
    return false;
  }
  Json& place(Json value) {
    if (open_.empty()) return root = std::move(value);
    return open_.back()->items_.emplace_back(std::move(value));
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= limits_.depth)
      return stop(fmt::format("nested deeper than {} levels", limits_.depth));
    open_.push_back(&place(std::move(value)));  // stays: a parent grows after its open child closes
    return true;
  }
  bool no_name_twice() {
    std::vector<std::string_view> names(open_.back()->names_.begin(), open_.back()->names_.end());
    std::sort(names.begin(), names.end());
    auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return true;
    return stop(fmt::format("\"{}\" occurs twice", printable(*twice, 60)));
  }

  JsonLimits limits_;
  std::vector<Json*> open_{};
};

Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(double value) {
  if (std::isfinite(value)) *this = Json(nlohmann::json(value).dump(), Kind::number);
}

Json::Json(std::initializer_list<Json> list) : kind_(Kind::array) {
  bool members = std::all_of(list.begin(), list.end(), [](const Json& item) {
    return item.is_array() && item.size() == 2 && item[0].is_string();
  });
  if (members) kind_ = Kind::object;
  for (const Json& item : list) {
    if (members) names_.push_back(item[0].text_);
    items_.push_back(members ? item[1] : item);
  }
}

Json Json::array(std::initializer_list<Json> items) {
  Json out = array();
  for (const Json& item : items) out.push_back(item);
  return out;
}

std::string Json::digits_of(std::int64_t value) { return std::to_string(value); }
std::string Json::digits_of(std::uint64_t value) { return std::to_string(value); }

bool Json::is_number_integer() const {
  std::int64_t value = 0;
  return is_number() && (is_number_unsigned() || read_digits(text_, value));
}

bool Json::is_number_unsigned() const {
  std::uint64_t value = 0;
  return is_number() && read_digits(text_, value);
}

double Json::as_double() const {
  double value = 0;
  return is_number() && read_digits(text_, value) ? value : 0;
}

std::int64_t Json::as_signed() const {
  std::int64_t value = 0;
  if (!is_number() || read_digits(text_, value)) return value;
  double number = as_double();
  constexpr double limit = 9.2e18;
  return std::abs(number) < limit ? static_cast<std::int64_t>(number) : 0;
}

std::uint64_t Json::as_unsigned() const {
  std::uint64_t value = 0;
  if (is_number() && read_digits(text_, value)) return value;
  return static_cast<std::uint64_t>(as_signed());
}

std::vector<std::string> Json::as_texts() const {
  std::vector<std::string> out;
  for (const Json& item : *this) out.push_back(item.get<std::string>());
  return out;
}

Json Json::value(std::string_view name, const Json& fallback) const {
  const Json* found = find(name);
  return found != end() ? *found : fallback;
}

std::size_t Json::size() const { return items_.size(); }
const Json* Json::begin() const { return items_.data(); }
const Json* Json::end() const { return items_.data() + items_.size(); }
Json* Json::begin() { return items_.data(); }
Json* Json::end() { return items_.data() + items_.size(); }

const Json& Json::operator[](std::size_t index) const {
  return index < items_.size() ? items_[index] : null_json;
}

const Json& Json::at(std::size_t index) const {
  ENSURE(index < items_.size());
  return items_[index];
}

Json& Json::operator[](std::size_t index) {
  ENSURE(index < items_.size());
  return items_[index];
}

void Json::push_back(Json item) {
  if (is_null()) kind_ = Kind::array;
  ENSURE(is_array());
  items_.push_back(std::move(item));
}

const Json* Json::find(std::string_view name) const {
  auto found = std::find(names_.begin(), names_.end(), name);
  return items_.data() + (found - names_.begin() < std::ssize(items_) && is_object()
                              ? found - names_.begin()
                              : std::ssize(items_));
}

const Json& Json::operator[](std::string_view name) const& {
  const Json* found = find(name);
  return found != end() ? *found : null_json;
}

Json Json::operator[](std::string_view name) && {
  return std::move((*this)[name]);
}

Json& Json::operator[](std::string_view name) & {
  if (is_null()) kind_ = Kind::object;
  ENSURE(is_object());
  auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return items_[static_cast<std::size_t>(found - names_.begin())];
  names_.emplace_back(name);
  return items_.emplace_back();
}

const Json& Json::at(std::string_view name) const {
  const Json* found = find(name);
  ENSURE(found != end());
  return *found;
}

void Json::erase(std::string_view name) {
  auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return;
  items_.erase(items_.begin() + (found - names_.begin()));
  names_.erase(found);
}

void Json::update(const Json& object) {
  for (const auto& [name, item] : object.items()) (*this)[name] = item;
}

Json::Items::Member Json::Items::Iterator::operator*() const {
  return {json_->names_[at_], json_->items_[at_]};
}

Json::Items::Iterator Json::Items::end() const { return {json_, json_.names_.size()}; }

Json Json::sorted() const {
  Json out(text_, kind_);
  out.flag_ = flag_;
  std::vector<std::size_t> order(items_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (is_object())
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return names_[a] < names_[b]; });
  for (std::size_t i : order) {
    if (is_object()) out.names_.push_back(names_[i]);
    out.items_.push_back(items_[i].sorted());
  }
  return out;
}

bool Json::equals(const Json& other) const {
  if (kind_ != other.kind_ || items_.size() != other.items_.size()) return false;
  switch (kind_) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return flag_ == other.flag_;
    case Kind::number:
      return text_ == other.text_ || (!(is_number_integer() && other.is_number_integer()) &&
                                      as_double() == other.as_double());
    case Kind::string:
      return text_ == other.text_;
    case Kind::array:
      return items_ == other.items_;
    case Kind::object:
      break;
  }
  for (const auto& [name, item] : items()) {
    const Json* twin = other.find(name);
    if (twin == other.end() || !(item == *twin)) return false;
  }
  return true;
}

void Json::write(std::string& out, int indent, int depth) const {
  switch (kind_) {
    case Kind::null:
      out += "null";
      return;
    case Kind::boolean:
      out += flag_ ? "true" : "false";
      return;
    case Kind::number:
      out += flag_ ? nlohmann::json(as_double()).dump() : text_;
      return;
    case Kind::string:
      out += json_quoted(text_);
      return;
    case Kind::array:
    case Kind::object:
      break;
  }
  out += is_object() ? '{' : '[';
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) out += ',';
    break_line(out, indent, depth + 1);
    if (is_object()) out += json_quoted(names_[i]) + (indent < 0 ? ":" : ": ");
    items_[i].write(out, indent, depth + 1);
  }
  if (!items_.empty()) break_line(out, indent, depth);
  out += is_object() ? '}' : ']';
}

bool Json::is_utf8() const {
  auto good = [](const std::string& text) { return beckon::is_utf8(text); };
  return good(text_) && std::all_of(names_.begin(), names_.end(), good) &&
         std::all_of(items_.begin(), items_.end(), [](const Json& item) { return item.is_utf8(); });
}

std::string Json::dump() const { return dump(-1); }

std::string Json::dump(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

std::string_view name_of(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::null:
      return "null";
    case Json::Kind::boolean:
      return "true or false";
    case Json::Kind::number:
      return "a number";
    case Json::Kind::string:
      return "a text";
    case Json::Kind::array:
      return "a list";
    case Json::Kind::object:
      return "an object";
  }
  return "";
}

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return invalid(
        fmt::format("{} bytes of JSON, at most {} are allowed", text.size(), limits.bytes));
  }
  if (!is_utf8(text)) return invalid("not JSON: not UTF-8");
  if (text.find('\0') != std::string_view::npos)  // nlohmann takes it for the end of the text
    return invalid(fmt::format("not JSON: cannot go on at byte {}", text.find('\0') + 1));
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return invalid("not JSON: there is nothing in it");
  JsonBuilder builder(limits);
  try {
    if (nlohmann::json::sax_parse(text, &builder)) return std::move(builder.root);
  } catch (const std::exception& e) {
    return invalid(std::string("not JSON: ") + e.what());
  }
  return invalid(builder.problem);
}

Json json_or_null(std::string_view text) {
  auto json = parse_json(text, {.bytes = SIZE_MAX, .depth = 64});
  return json ? *std::move(json) : Json();
}

std::string json_quoted(std::string_view text) {
  if (is_plain(text)) return fmt::format("\"{}\"", text);
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace beckon
