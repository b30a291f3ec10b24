// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "profile/query/query.h"

namespace beckon::profile {

/// Reads "lat,lon,distance" (25.05,121.53,5km; units m and km) and draws the box around the circle:
/// every place within the distance lies in the box.
Result<Near> parse_near(const Schema& schema, std::string_view text);

/// Whether a published place (a point or a box) reaches into the circle, by the exact geodesic on
/// WGS84 from the circle's centre to the box's nearest corner or side.
bool is_near(const Schema& schema, const Near& near, const Interval& latitudes,
             const Interval& longitudes);

}  // namespace beckon::profile
