// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "profile/language/query_problem.h"

namespace beckon::profile {

/// Reads a query in the friendly form, or, if it begins with "(", as an RFC 4515 filter:
///   query  = branch *( "|" branch )            any of the branches
///   branch = term *( sep term )                all of the terms;  sep = blanks or "&"
///   term   = ["!"] ( attr op value | "near=" lat "," lon "," distance | "has=" attr )
///   op     = "=" | ":=" | "!=" | "~="
///   value  = item *( "," item );  an item is bare or in quotation marks
/// "|" and "!" are there so that the canonical form of any LDAP filter can be read back.
/// Nothing is ever ignored: what is not understood is a problem, and all problems are told at once.
QueryReading read_query(const Schema& schema, std::string_view text);

/// The same for callers that want one error: its text is the picture of the problems.
Result<Query> parse_query(const Schema& schema, std::string_view text);

/// A peer's question in its canonical form. The asker may hold a later schema: of an attribute that
/// this one lacks nobody here has a value. What the asker had to check, that each branch has an
/// ordinary term, is not checked again.
Result<Query> parse_question(const Schema& schema, std::string_view text);

}  // namespace beckon::profile
