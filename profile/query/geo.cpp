// SPDX-License-Identifier: MIT
#include "profile/query/geo.h"

#include <fmt/core.h>
#include <GeographicLib/Geodesic.hpp>
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "profile/values/decimal.h"

namespace beckon::profile {

namespace {

constexpr int near_scale = 6;
constexpr std::int64_t max_metres = 20'004'000;  // half way round the earth by the poles
constexpr double pi = 3.14159265358979323846;

Result<std::int64_t> parse_degrees(std::string_view text, std::int64_t bound,
                                   std::string_view what) {
  auto number = parse_decimal(text);
  auto fixed = number ? to_fixed(*number, near_scale, Rounding::half_even)
                      : Result<std::int64_t>(number.error());
  if (!fixed || *fixed < -bound * 1'000'000 || *fixed > bound * 1'000'000) {
    return invalid(fmt::format("'{}' is no {} (-{}..{})", printable(text, 30), what, bound, bound));
  }
  return *fixed;
}

Result<std::int64_t> parse_metres(std::string_view text) {
  int scale = text.ends_with("km") ? 3 : 0;
  Error wrong = invalid(
      fmt::format("'{}' is no distance (as 500m or 5km, at most 20004km)", printable(text, 30)));
  if (!text.ends_with("m")) return wrong;
  text.remove_suffix(scale == 3 ? 2 : 1);
  auto number = parse_decimal(text);
  if (!number) return wrong;
  auto metres = to_fixed(*number, scale, Rounding::up);  // in thousandths of a kilometre
  if (!metres || *metres < 1 || *metres > max_metres) return wrong;
  return *metres;
}

double units_per_degree(const Attribute& a) { return std::pow(10.0, a.scale); }

/// Degrees of longitude that a circle can reach east or west of its centre. The sphere is smaller
/// than the ellipsoid is curved anywhere, and its answer gets a per cent on top: too wide costs
/// little, too narrow would lose people.
double longitude_reach(double latitude, double metres) {
  constexpr double least_radius = 6'335'400;
  double angle = metres * 1.01 / least_radius;
  double room = pi / 2 - std::abs(latitude) * pi / 180;
  if (angle >= room - 0.001) return 180;  // holds a pole, or nearly
  return std::asin(std::min(1.0, std::sin(angle) / std::cos(latitude * pi / 180))) * 180 / pi *
         1.01;
}

Interval latitude_box(const Attribute& a, double centre, double metres) {
  constexpr double least_metres_per_degree = 110'574;
  double reach = metres * 1.001 / least_metres_per_degree;
  auto lo = static_cast<std::int64_t>(std::floor((centre - reach) * units_per_degree(a))) - 1;
  auto hi = static_cast<std::int64_t>(std::ceil((centre + reach) * units_per_degree(a))) + 1;
  return {std::max(lo, a.min), std::min(hi, a.max)};
}

Interval longitude_box(const Attribute& a, double centre, double reach) {
  std::int64_t size = a.max - a.min + 1;
  auto lo = static_cast<std::int64_t>(std::floor((centre - reach) * units_per_degree(a))) - 1;
  auto hi = static_cast<std::int64_t>(std::ceil((centre + reach) * units_per_degree(a))) + 1;
  if (hi - lo + 1 >= size) return {a.min, a.max};
  if (!a.circular) return {std::max(lo, a.min), std::min(hi, a.max)};
  return {lo < a.min ? lo + size : lo, hi > a.max ? hi - size : hi};
}

/// The value of the interval nearest to x, all in degrees; longitudes go round.
double clamped(double x, double lo, double hi) { return std::min(std::max(x, lo), hi); }

double clamped_longitude(double x, double lo, double hi) {
  double width = hi >= lo ? hi - lo : hi + 360 - lo;
  double from_lo = std::fmod(x - lo + 720, 360);
  if (from_lo <= width) return x;
  return from_lo - width <= 360 - from_lo ? hi : lo;
}

}  // namespace

Result<Near> parse_near(const Schema& schema, std::string_view text) {
  if (!schema.longitude()) return invalid("this overlay has no places (latitude, longitude)");
  std::size_t one = text.find(',');
  std::size_t two = one == std::string_view::npos ? one : text.find(',', one + 1);
  if (two == std::string_view::npos)
    return invalid("near is written near=LATITUDE,LONGITUDE,DISTANCE, as near=25.05,121.53,5km");
  auto latitude = parse_degrees(text.substr(0, one), 90, "latitude");
  if (!latitude) return latitude.error();
  auto longitude = parse_degrees(text.substr(one + 1, two - one - 1), 180, "longitude");
  if (!longitude) return longitude.error();
  auto metres = parse_metres(text.substr(two + 1));
  if (!metres) return metres.error();
  Near near{.latitude = *latitude, .longitude = *longitude, .metres = *metres};
  double lat = static_cast<double>(near.latitude) / 1e6;
  double lon = static_cast<double>(near.longitude) / 1e6;
  auto distance = static_cast<double>(near.metres);
  near.latitudes = latitude_box(schema.at(*schema.latitude()), lat, distance);
  near.longitudes =
      longitude_box(schema.at(*schema.longitude()), lon, longitude_reach(lat, distance));
  return near;
}

bool is_near(const Schema& schema, const Near& near, const Interval& latitudes,
             const Interval& longitudes) {
  double lat_units = units_per_degree(schema.at(*schema.latitude()));
  double lon_units = units_per_degree(schema.at(*schema.longitude()));
  double lat = static_cast<double>(near.latitude) / 1e6;
  double lon = static_cast<double>(near.longitude) / 1e6;
  double to_lat = clamped(lat, static_cast<double>(latitudes.lo) / lat_units,
                          static_cast<double>(latitudes.hi) / lat_units);
  double to_lon = clamped_longitude(lon, static_cast<double>(longitudes.lo) / lon_units,
                                    static_cast<double>(longitudes.hi) / lon_units);
  double metres = 0;
  GeographicLib::Geodesic::WGS84().Inverse(lat, lon, to_lat, to_lon, metres);
  return metres <= static_cast<double>(near.metres);
}

}  // namespace beckon::profile
