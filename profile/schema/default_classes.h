#pragma once

#include <vector>

#include "profile/schema/schema.h"

namespace beckon::profile {

/// Layouts for a schema that nobody has fitted any to: four values of k, each with the starting
/// shape of the two-phase algorithm (docs/filters.md) for the typical published widths. Worse
/// than fitted classes by a factor of two or so, right always.
std::vector<LayoutClass> default_classes(const std::vector<Attribute>& attributes);

}  // namespace beckon::profile
