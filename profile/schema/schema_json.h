// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "profile/schema/schema.h"

namespace beckon::profile {

/// The "schema" member of an overlay file: {"number":1,"fold":"1","attributes":[{...}],
/// "classes":[{...}]}. Strict: an unknown member, a missing name or a value out of bounds is an
/// error that names the place. Without "number" it is 1. "classes" may be left out; the schema then
/// gets layouts that serve any profile moderately.
Result<Schema> parse_schema(std::string_view json);

/// The one canonical text of a schema: what an overlay's id or its authority's signature covers.
std::string schema_json(const Schema& schema);

/// The first 4 bytes of SHA-256 of the class's canonical text.
std::uint32_t class_name(const LayoutClass& layout, const std::vector<Attribute>& attributes);

}  // namespace beckon::profile
