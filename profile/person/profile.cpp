// SPDX-License-Identifier: MIT
#include "profile/person/profile.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace beckon::profile {

Error too_many_values(const Attribute& attribute, std::string_view name) {
  bool one = attribute.max_values == 1;
  return invalid(fmt::format("{}: at most {} {} allowed", name, attribute.max_values,
                             one ? "value is" : "values are"));
}

Error unknown_attribute(const Schema& schema, std::string_view name) {
  std::string text = fmt::format("no attribute \"{}\"", printable(name, 40));
  if (name.starts_with("x-")) return invalid(text + " (after x- come 1 to 30 of a-z 0-9 - _)");
  std::string close = schema.nearest(name);
  if (close.empty()) return invalid(text + ". Your own attributes begin with x-");
  return invalid(text + ". Close: " + close);
}

Result<void> Profile::set(const Schema& schema, std::string_view name,
                          std::span<const std::string> values) {
  auto slot = schema.slot(name);
  if (!slot) return unknown_attribute(schema, name);
  const Attribute& attribute = schema.at(*slot);
  if (values.empty()) return invalid(fmt::format("{}: no value given", name));
  std::vector<Value> read;
  for (const std::string& text : values) {
    auto value = parse_value(attribute, text, Side::publish);
    if (!value) return invalid(fmt::format("{}: {}", name, value.error().text));
    if (std::find(read.begin(), read.end(), *value) == read.end())
      read.push_back(std::move(*value));
    if (read.size() > attribute.max_values) {
      return too_many_values(attribute, name);
    }
  }
  std::size_t total = read.size();
  std::size_t users = *slot == Schema::user_slot ? 1 : 0;
  for (const auto& [other, list] : attributes_) {
    if (other == name) continue;
    total += list.size();
    users += is_user_attribute(other) ? 1 : 0;
  }
  if (total > max_values)
    return invalid(fmt::format("{}: a profile holds at most {} values", name, max_values));
  if (users > max_user_attributes) {
    return invalid(fmt::format("{}: at most {} attributes of your own", name, max_user_attributes));
  }
  attributes_.insert_or_assign(std::string(name), std::move(read));
  return {};
}

bool Profile::unset(std::string_view name) {
  auto found = attributes_.find(name);
  if (found == attributes_.end()) return false;
  attributes_.erase(found);
  return true;
}

Result<void> Profile::set_visibility(const Schema& schema, std::string_view name,
                                     Visibility visibility) {
  if (name != "*" && !schema.slot(name)) return unknown_attribute(schema, name);
  if (visibility_.size() >= max_values && visibility_.find(name) == visibility_.end()) {
    return invalid(fmt::format("visibility: at most {} entries", max_values));
  }
  visibility_.insert_or_assign(std::string(name), visibility);
  return {};
}

void Profile::reset_visibility(std::string_view name) {
  auto found = visibility_.find(name);
  if (found != visibility_.end()) visibility_.erase(found);
}

Visibility Profile::visibility(const Schema& schema, std::string_view name) const {
  if (auto own = visibility_.find(name); own != visibility_.end()) return own->second;
  auto slot = schema.slot(name);
  Visibility wanted = slot ? schema.at(*slot).visibility : Visibility::hidden;
  auto all = visibility_.find("*");
  return all == visibility_.end() ? wanted : std::max(wanted, all->second);
}

std::span<const Value> Profile::values(std::string_view name) const {
  auto found = attributes_.find(name);
  if (found == attributes_.end()) return {};
  return found->second;
}

std::span<const Value> Profile::searchable(const Schema& schema, std::string_view name) const {
  if (visibility(schema, name) == Visibility::hidden) return {};
  return values(name);
}

}  // namespace beckon::profile
