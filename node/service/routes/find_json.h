// SPDX-License-Identifier: MIT
#pragma once

#include "base/json.h"
#include "node/service/find/finder.h"

namespace beckon::service {

/// {"id","name","attrs","verified","online","contact"}. A card comes from a stranger's node: what
/// has no place in the schema, or not the shape of a value, is left out.
Json person_json(const profile::Schema& schema, const Person& person);

/// {"asked","answered","candidates","false_positives",...,"elapsed_ms"}
Json stats_json(const FindReport& report);

/// The plan and what each index node answered.
Json explain_json(const FindReport& report);

/// The attributes a query speaks of, in order of their names; a place counts as "city".
std::vector<std::string> asked_attributes(const profile::Query& query);

/// ?hobby=chess&age=20..30 as the text of a query. Blanks and signs of the query language inside an
/// unquoted item are kept together by quotation marks.
std::string query_text(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace beckon::service
