// SPDX-License-Identifier: MIT
#include "profile/query/matches.h"

#include <GeographicLib/Geodesic.hpp>
#include <cmath>
#include <cstdio>

#include "base/rng.h"
#include "profile/query/geo.h"
#include "tests/profile/make.h"

using namespace beckon;
using namespace beckon::profile;
using test::person;

namespace {

const Schema& schema = Schema::built_in();

bool holds(const Profile& profile, const char* text) {
  return matches(schema, profile, test::query(text));
}

}  // namespace

TEST_SUITE("profile/matches") {
  TEST_CASE("equality is any of the items, after folding") {
    Profile alice = person({"name=Alice Lin", "hobby=Chess", "hobby=Go", "age=24"});
    CHECK(holds(alice, "hobby=chess"));
    CHECK(holds(alice, "hobby=kendo,GO"));
    CHECK_FALSE(holds(alice, "hobby=kendo"));
    CHECK_FALSE(holds(alice, "hobby=chess age=25"));
    CHECK(holds(alice, "name=\"ALICE  lin\""));
    CHECK_FALSE(holds(alice, "name=alice"));
    CHECK(holds(alice, "name~=ali"));
    CHECK(holds(alice, "hobby:=chess,go"));
    CHECK_FALSE(holds(alice, "hobby:=chess,kendo"));
  }

  TEST_CASE("ranges overlap with = and cover with :=") {
    Profile p = person({"income=40000..60000", "hours=9..17", "age=24"});
    CHECK(holds(p, "income=60000..70000"));
    CHECK(holds(p, "income=50k"));
    CHECK_FALSE(holds(p, "income=60001.."));
    CHECK(holds(p, "hours:=9..17"));
    CHECK(holds(p, "hours:=10..12"));
    CHECK_FALSE(holds(p, "hours:=8..12"));
    CHECK(holds(p, "age=..24"));
    CHECK(holds(p, "age:=24"));
    CHECK_FALSE(holds(p, "age:=24..25"));
  }

  TEST_CASE("a circular range holds what lies over the scope's end") {
    Profile p = person({"hours=22..6"});
    CHECK(holds(p, "hours=23"));
    CHECK(holds(p, "hours=24"));
    CHECK(holds(p, "hours=5..8"));
    CHECK(holds(p, "hours:=23..2"));
    CHECK_FALSE(holds(p, "hours=7..21"));
    CHECK_FALSE(holds(p, "hours:=5..8"));
    CHECK(holds(person({"hours=10..9"}), "hours:=5..15"));
  }

  TEST_CASE(
      "missing makes plain terms false and negated ones true, and private counts as missing") {
    Profile p = person({"name=Bo", "age=30", "phone=123"});
    CHECK_FALSE(holds(p, "hobby=chess"));
    CHECK(holds(p, "age=30 hobby!=chess"));
    CHECK(holds(p, "age=30 name!=al"));
    CHECK_FALSE(holds(p, "age=30 name!=bo,al"));
    CHECK(holds(p, "age=30 has=name"));
    CHECK_FALSE(holds(p, "age=30 has=phone"));
    CHECK_FALSE(holds(p, "phone=123"));
    CHECK(holds(p, "age=30 phone!=123"));
    CHECK(holds(p, "age=30 !has=sip"));
  }

  TEST_CASE("hybrid values compare template and number") {
    Profile p = person({"room=EC-315", "course=CS2008", "course=MA101..105"});
    CHECK(holds(p, "room=EC-300..399"));
    CHECK_FALSE(holds(p, "room=ED-300..399"));
    CHECK_FALSE(holds(p, "room=EC-316..399"));
    CHECK(holds(p, "room=ec-*"));
    CHECK_FALSE(holds(p, "room=ed-*"));
    CHECK(holds(p, "course=MA105..110"));
    CHECK(holds(p, "course:=ma102..104"));
    CHECK(holds(p, "age=1|course~=cs20"));
  }

  TEST_CASE("addresses match by prefix, and one's own attributes by what they are") {
    Profile p = person({"ip=140.113.214.7", "ip=2001:db8::1", "x-height=185", "x-color=red"});
    CHECK(holds(p, "ip=140.113.214.0/24"));
    CHECK_FALSE(holds(p, "ip=140.113.215.0/24"));
    CHECK(holds(p, "ip=2001:db8::/32"));
    CHECK_FALSE(holds(p, "ip=0.0.0.0/0 ip=2002::/16"));
    CHECK(holds(p, "x-height=180..190"));
    CHECK(holds(p, "x-color=RED"));
    CHECK_FALSE(holds(p, "x-color=5"));
  }

  TEST_CASE("any branch may hold") {
    Profile p = person({"age=30", "hobby=go"});
    CHECK(holds(p, "(|(hobby=chess)(age=30))"));
    CHECK(holds(p, "(&(age=30)(!(hobby=chess)))"));
    CHECK_FALSE(holds(p, "(&(age=30)(!(|(hobby=chess)(hobby=go))))"));
  }

  TEST_CASE("near is the exact distance on the ellipsoid") {
    Profile p = person({"latitude=25.05", "longitude=121.53"});
    CHECK(holds(p, "near=25.05,121.53,1m"));
    CHECK(holds(p, "near=25.0,121.53,5539m"));  // 0.05 degrees of latitude here are 5538.6 m
    CHECK_FALSE(holds(p, "near=25.0,121.53,5538m"));
    CHECK_FALSE(holds(person({"latitude=25.05"}), "near=25.05,121.53,20000km"));
    Profile wide = person({"latitude=24.9..25.1", "longitude=121.4..121.6"});
    CHECK(holds(wide, "near=25,121.5,1m"));
    CHECK(holds(wide, "near=25,121.61,1100m"));
    CHECK_FALSE(holds(wide, "near=25,121.61,900m"));
    Profile fiji = person({"latitude=-17", "longitude=179.9"});
    CHECK(holds(fiji, "near=-17,-179.9,30km"));
    CHECK_FALSE(holds(fiji, "near=-17,-179.9,20km"));
  }

  TEST_CASE("whoever is near lies in the box, poles and the date line included") {
    Rng rng(5);
    const Attribute& lat = schema.at(*schema.latitude());
    const Attribute& lon = schema.at(*schema.longitude());
    int inside = 0;
    for (int i = 0; i < 20'000; ++i) {
      double latitude = static_cast<double>(rng.between(-90'000, 90'000)) / 1000;
      double longitude = static_cast<double>(rng.between(-180'000, 180'000)) / 1000;
      auto metres = rng.between(1, std::int64_t{1} << (5 + rng.below(20)));
      char text[80];
      std::snprintf(text, sizeof text, "%.3f,%.3f,%lldm", latitude, longitude,
                    static_cast<long long>(metres));
      CAPTURE(text);
      auto near = parse_near(schema, text);
      REQUIRE(near.has_value());
      double to_lat = 0;
      double to_lon = 0;
      GeographicLib::Geodesic::WGS84().Direct(latitude, longitude, rng.real() * 360,
                                              static_cast<double>(metres) * rng.real() * 1.02,
                                              to_lat, to_lon);
      auto y = std::llround(to_lat * 10'000);
      auto x = std::llround(to_lon * 10'000);
      if (x > lon.max) x -= 3'600'000;
      if (!is_near(schema, *near, {y, y}, {x, x})) continue;
      ++inside;
      REQUIRE(overlaps(lat, {y, y}, near->latitudes));
      REQUIRE(overlaps(lon, {x, x}, near->longitudes));
    }
    CHECK(inside > 15'000);
  }
}
