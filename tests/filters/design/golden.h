// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "filters/design/go_design.h"

namespace golden {

using Json = nlohmann::json;

const Json& exact();      // to 1e-5 relative, integers exactly
const Json& tolerance();  // with tolerances of their own

/// The numbers are rounded as printed, so half a unit of the last digit is forgiven as well.
doctest::Approx printed(const Json& number, double epsilon = 1e-5);

beckon::filters::Shape shape(int k, const Json& d_and_s);
std::vector<beckon::filters::Shape> shapes(int k, const Json& configuration);

/// Five texts, Age, Year, Income, Longitude, Latitude (report Table 1).
beckon::filters::Load table1();
/// The thesis' version, where Income has 5 000 001 values and 500 000 of them are published.
beckon::filters::Load thesis_profile();

}  // namespace golden
