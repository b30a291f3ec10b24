#pragma once

#include <string>
#include <string_view>

#include "profile/schema/schema.h"

namespace beckon::profile {

/// The "schema" member of an overlay file: {"attributes":[{...}],"classes":[{...}]}. Strict: an
/// unknown member, a missing name or a value out of bounds is an error that names the place.
/// "classes" may be left out; the schema then gets layouts that serve any profile moderately.
Result<Schema> parse_schema(std::string_view json);

/// The one canonical text of a schema; its hash is the schema id.
std::string schema_json(const Schema& schema);
std::string schema_json(const std::vector<Attribute>& attributes,
                        const std::vector<LayoutClass>& classes);

}  // namespace beckon::profile
