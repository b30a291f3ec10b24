// SPDX-License-Identifier: MIT
#include "profile/person/profile_json.h"

#include <fmt/core.h>

#include "base/json.h"
#include "base/text.h"
#include "profile/values/date.h"
#include "profile/values/decimal.h"

namespace beckon::profile {

namespace {

using Kind = Json::Kind;

Error wrong(std::string_view name, std::string_view why) {
  return invalid(fmt::format("{}: {}", printable(name, 60), why));
}

/// One value as the text that Profile::set reads.
Result<std::string> value_of(std::string_view name, const Json& json) {
  if (json.is(Kind::string) || json.is(Kind::number)) return json.text();
  if (!json.is(Kind::object))
    return wrong(name, fmt::format("a value cannot be {}", name_of(json.kind())));
  std::string bounds[2];
  std::size_t found = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Json* bound = json.find(i == 0 ? "min" : "max");
    if (bound == json.end()) continue;
    if (!bound->is(Kind::number) && !bound->is(Kind::string))
      return wrong(name, "min and max are numbers");
    bounds[i] = bound->text();
    ++found;
  }
  if (found != 2 || json.size() != 2) return wrong(name, "a range is {\"min\":..,\"max\":..}");
  return bounds[0] + ".." + bounds[1];
}

Result<void> read_attribute(const Schema& schema, Profile& profile, const std::string& name,
                            const Json& json) {
  if (!json.is(Kind::array)) {
    auto value = value_of(name, json);
    if (!value) return value.error();
    return profile.set(schema, name, {&*value, 1});
  }
  if (json.size() > Profile::max_values) {
    auto slot = schema.slot(name);
    return slot ? too_many_values(schema.at(*slot), name) : unknown_attribute(schema, name);
  }
  std::vector<std::string> values;
  for (const Json& item : json) {
    auto value = value_of(name, item);
    if (!value) return value.error();
    values.push_back(std::move(*value));
  }
  return profile.set(schema, name, values);
}

/// Whether a null is a value that is wrong, or takes something away.
enum class Null { wrong, removes };

Result<void> read_visibility(const Schema& schema, Profile& profile, const Json& json, Null null) {
  if (!json.is(Kind::object)) return wrong("visibility", "must be an object");
  for (const auto& [name, value] : json.items()) {
    if (value.is(Kind::null) && null == Null::removes) {
      profile.reset_visibility(name);
      continue;
    }
    auto known = value.is(Kind::string) ? visibility_named(value.text()) : std::nullopt;
    if (!known) return wrong("visibility." + name, "must be \"public\", \"match\" or \"private\"");
    if (auto set = profile.set_visibility(schema, name, *known); !set)
      return wrong("visibility", set.error().text);
  }
  return {};
}

Result<void> read_member(const Schema& schema, Profile& profile, const std::string& name,
                         const Json& value, Null null) {
  bool removes = value.is(Kind::null) && null == Null::removes;
  if (name == "visibility") {
    if (!removes) return read_visibility(schema, profile, value, null);
    profile.reset_visibility();
    return {};
  }
  if (!removes) return read_attribute(schema, profile, name, value);
  if (!schema.slot(name)) return unknown_attribute(schema, name);
  profile.unset(name);
  return {};
}

Result<Profile> read_members(const Schema& schema, Profile profile, std::string_view text,
                             Null null) {
  auto json = parse_json(text, {.bytes = max_profile_json, .depth = 4, .members = 128});
  if (!json) return json.error();
  if (!json->is(Kind::object))
    return invalid(fmt::format("a profile is an object, not {}", name_of(json->kind())));
  for (const auto& [name, value] : json->items()) {
    auto read = read_member(schema, profile, name, value, null);
    if (!read) return read.error();
  }
  return profile;
}

std::string bound_json(const Attribute& a, std::int64_t v) {
  return a.type == Type::date ? json_quoted(date_text(v)) : fixed_text(v, a.scale);
}

std::string value_json(const Attribute& a, const Value& value) {
  bool plain = a.type == Type::integer || a.type == Type::decimal || a.type == Type::date ||
               a.type == Type::any;
  if (!value.number || !plain) return json_quoted(value.shown);
  const Interval& number = *value.number;
  if (number.is_point()) return bound_json(a, number.lo);
  return fmt::format(R"({{"min":{},"max":{}}})", bound_json(a, number.lo),
                     bound_json(a, number.hi));
}

std::string values_json(const Attribute& a, std::span<const Value> values) {
  if (values.size() == 1) return value_json(a, values[0]);
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i)
    out += (i > 0 ? "," : "") + value_json(a, values[i]);
  return out + "]";
}

std::string member(const Schema& schema, const Profile& profile, const std::string& name) {
  return json_quoted(name) + ":" + values_json(schema.at(*schema.slot(name)), profile.values(name));
}

}  // namespace

Result<Profile> parse_profile(const Schema& schema, std::string_view text) {
  return read_members(schema, {}, text, Null::wrong);
}

Result<Profile> patch_profile(const Schema& schema, Profile profile, std::string_view text) {
  return read_members(schema, std::move(profile), text, Null::removes);
}

std::vector<std::string> ordered_names(const Schema& schema, const Profile& profile) {
  std::vector<std::string> out;
  for (const Attribute& a : schema.attributes()) {
    if (!profile.values(a.name).empty()) out.push_back(a.name);
  }
  for (const auto& [name, values] : profile.attributes()) {
    if (is_user_attribute(name)) out.push_back(name);
  }
  return out;
}

std::string profile_json(const Schema& schema, const Profile& profile) {
  std::string out = "{";
  for (const std::string& name : ordered_names(schema, profile)) {
    out += (out.size() > 1 ? "," : "") + member(schema, profile, name);
  }
  if (profile.chosen_visibility().empty()) return out + "}";
  std::string chosen;
  for (const auto& [name, visibility] : profile.chosen_visibility()) {
    chosen += fmt::format("{}{}:\"{}\"", chosen.empty() ? "" : ",", json_quoted(name),
                          name_of(visibility));
  }
  return out + (out.size() > 1 ? "," : "") + "\"visibility\":{" + chosen + "}}";
}

std::string card_json(const Schema& schema, const Profile& profile) {
  std::string out = "{";
  for (const std::string& name : disclosure(schema, profile).shown) {
    out += (out.size() > 1 ? "," : "") + member(schema, profile, name);
  }
  return out + "}";
}

Disclosure disclosure(const Schema& schema, const Profile& profile) {
  Disclosure out;
  for (const std::string& name : ordered_names(schema, profile)) {
    Visibility visibility = profile.visibility(schema, name);
    auto& list = visibility == Visibility::shown   ? out.shown
                 : visibility == Visibility::match ? out.matched
                                                   : out.hidden;
    list.push_back(name);
  }
  return out;
}

}  // namespace beckon::profile
