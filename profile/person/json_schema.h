// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "profile/schema/schema.h"

namespace beckon::profile {

/// The JSON Schema (2020-12) of a profile.json in an overlay with this schema, for editors and
/// scripts. It accepts whatever profile_json writes, and refuses unknown attributes, values of the
/// wrong kind, too many of them and numbers outside the scope. Texts that hold numbers ("40k") pass
/// it; parse_profile has the last word.
std::string json_schema(const Schema& schema);

}  // namespace beckon::profile
