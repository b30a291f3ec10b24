// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/person/value.h"

namespace beckon::profile {

/// What a user says of itself, in plain text; it never leaves the node that hosts the user. Every
/// value was read by the schema's rules; an attribute with no value is not in it. Limits: the
/// schema's values per attribute, max_user_attributes x-... attributes, max_values in all.
class Profile {
 public:
  static constexpr std::size_t max_user_attributes = 16;
  static constexpr std::size_t max_values = 64;

  /// Replaces the attribute's values; equal ones count once. Unchanged if it fails.
  Result<void> set(const Schema& schema, std::string_view name,
                   std::span<const std::string> values);
  bool unset(std::string_view name);

  /// For one attribute, or "*" for all that are not named: "*" can hide an attribute, but does not
  /// open one that the schema closes further.
  Result<void> set_visibility(const Schema& schema, std::string_view name, Visibility visibility);
  void reset_visibility(std::string_view name);  // back to what "*" or the schema says
  void reset_visibility() { visibility_.clear(); }
  Visibility visibility(const Schema& schema, std::string_view name) const;

  const std::map<std::string, std::vector<Value>, std::less<>>& attributes() const {
    return attributes_;
  }
  const std::map<std::string, Visibility, std::less<>>& chosen_visibility() const {
    return visibility_;
  }
  std::span<const Value> values(std::string_view name) const;  // empty if absent

  /// The values that may be searched for: of attributes not private.
  std::span<const Value> searchable(const Schema& schema, std::string_view name) const;

 private:
  std::map<std::string, std::vector<Value>, std::less<>> attributes_;
  std::map<std::string, Visibility, std::less<>> visibility_;
};

/// "no attribute "hobbby". Close: hobby".
Error unknown_attribute(const Schema& schema, std::string_view name);
Error too_many_values(const Attribute& attribute, std::string_view name);

}  // namespace beckon::profile
