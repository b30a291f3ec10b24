// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "profile/language/query_problem.h"

namespace beckon::profile {

/// Reads an RFC 4515 filter. (a=v) and (a~=v) are = and ~=, (a=v*) is ~=, (a=*) is has=, (a>=n) and
/// (a<=n) are half-open ranges, (a:=v) is :=, and numbers may be ranges: (age=20..30). Values may
/// hold \XX escapes. Other substrings, matching rules and attribute options are refused, never
/// ignored. AND, OR and NOT are rewritten to at most Query::max_branches branches; nesting is
/// bounded. cn, sn, l, o, uid and telephonenumber mean name, last_name, city, org, nickname and
/// phone.
QueryReading read_ldap_filter(const Schema& schema, std::string_view text);

}  // namespace beckon::profile
