// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/person/profile.h"

namespace beckon::profile {

inline constexpr std::size_t max_profile_json = 32 * 1024;

/// A profile.json, or one line of a people.jsonl:
///   {"name":"Alice Lin","hobby":["chess","go"],"age":24,"income":{"min":40000,"max":60000},
///    "visibility":{"*":"public","income":"match"}}
/// A value is a text, a number, {"min":..,"max":..}, or a list of such. Strict: an unknown member,
/// a wrong type or a member given twice is an error that names the field.
Result<Profile> parse_profile(const Schema& schema, std::string_view json);

/// The profile changed by a JSON merge patch (RFC 7396): members replace, null takes away, also
/// inside "visibility". All or nothing.
Result<Profile> patch_profile(const Schema& schema, Profile profile, std::string_view json);

/// The profile as parse_profile reads it; attributes in the schema's order, then x-... ones.
std::string profile_json(const Schema& schema, const Profile& profile);

/// The part of a profile that others may see: a JSON object of the public attributes.
std::string card_json(const Schema& schema, const Profile& profile);

/// What publishing will tell: names of attributes that are shown and that only match.
struct Disclosure {
  std::vector<std::string> shown{};
  std::vector<std::string> matched{};
  std::vector<std::string> hidden{};
};
Disclosure disclosure(const Schema& schema, const Profile& profile);

/// The attribute names of a profile in the schema's order, then x-... ones.
std::vector<std::string> ordered_names(const Schema& schema, const Profile& profile);

}  // namespace beckon::profile
