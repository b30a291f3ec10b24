// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "profile/schema/schema.h"

namespace beckon::profile {

/// The layouts that the built-in schema ships, fitted once to a drawn population.
std::vector<LayoutClass> built_in_classes(const std::vector<Attribute>& attributes);

}  // namespace beckon::profile
