// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "profile/schema/schema.h"

namespace beckon::profile {

/// The shape of a slot that a class does not speak of: the starting shape of the two-phase
/// algorithm (docs/filters.md) for the typical published width. Worse than a fitted one by a factor
/// of two or so, right always.
SlotLayout default_shape(const Attribute& attribute, std::uint8_t k);
inline constexpr SlotLayout default_user_shape{.group = 1000, .fresh = 1};

/// For a schema that nobody has fitted any to: four values of k and default shapes.
std::vector<LayoutClass> default_classes();

}  // namespace beckon::profile
