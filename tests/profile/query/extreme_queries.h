// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/rng.h"

namespace beckon::profile::test {

/// The text of a query at the edge of what is allowed or just beyond: many terms of the kinds that
/// grow most on their way to an index node (places, ranges that wrap) or in the canonical spelling
/// (an OR times an AND, signs that need escapes), in either language.
std::string extreme_query(Rng& rng);

}  // namespace beckon::profile::test
