// SPDX-License-Identifier: MIT
#pragma once

#include "base/rng.h"
#include "profile/person/profile.h"
#include "profile/query/query.h"

namespace beckon::profile::test {

/// A random profile of the built-in schema: texts from small pools, numbers as points and ranges of
/// all sizes, some attributes private.
Profile random_person(Rng& rng);

/// One to five random terms, drawn near the profile's own values so that about half of them hold.
Branch random_branch(Rng& rng, const Profile& profile);
Term random_term(Rng& rng, const Profile& profile);

}  // namespace beckon::profile::test
