// SPDX-License-Identifier: MIT
#pragma once

#include "profile/person/profile.h"
#include "profile/query/query.h"

namespace beckon::profile {

/// The truth: whether a profile answers a query. Exact, naive, and the only definition; the owner's
/// node asks it before anybody gets a card, and tests hold keys and filters against it. Attributes
/// that are private count as absent. A missing attribute makes every plain term false and every
/// negated one true.
bool matches(const Schema& schema, const Profile& profile, const Query& query);
bool matches(const Schema& schema, const Profile& profile, const Term& term);

/// Whether two intervals of one attribute share a value; whether the first holds all of the second.
bool overlaps(const Attribute& attribute, const Interval& a, const Interval& b);
bool covers(const Attribute& attribute, const Interval& outer, const Interval& inner);

}  // namespace beckon::profile
