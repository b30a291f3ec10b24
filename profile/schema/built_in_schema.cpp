// SPDX-License-Identifier: MIT
#include "profile/schema/built_in_classes.h"
#include "profile/schema/schema.h"

namespace beckon::profile {

namespace {

Attribute text(std::string name, std::uint8_t max_values, Visibility visibility = Visibility::shown,
               bool prefix_keys = false) {
  return {.name = std::move(name),
          .visibility = visibility,
          .max_values = max_values,
          .prefix_keys = prefix_keys};
}

Attribute hybrid(std::string name, std::uint8_t max_values) {
  return {.name = std::move(name),
          .type = Type::hybrid,
          .max_values = max_values,
          .max = 999'999'999,
          .ladder = {64, 1024},
          .published_width = 10,
          .queried_width = 100,
          .point_group = 1};
}

/// A place to four decimals (11 m); single places blur to 90 units (1 km) in the filter.
Attribute place(std::string name, Axis axis, std::int64_t min, std::int64_t max) {
  return {.name = std::move(name),
          .type = Type::decimal,
          .visibility = Visibility::match,
          .max_values = 1,
          .circular = axis == Axis::longitude,
          .axis = axis,
          .scale = 4,
          .min = min,
          .max = max,
          .ladder = {1024, 16384},
          .published_width = 100,
          .queried_width = 4000,
          .point_group = 90};
}

std::vector<Attribute> built_in_attributes() {
  constexpr std::int64_t day_1900 = -25'567;
  constexpr std::int64_t day_2100_end = 47'846;
  return {
      text("name", 4, Visibility::shown, true),
      text("last_name", 2, Visibility::shown, true),
      text("nickname", 4),
      text("university", 4),
      text("hobby", 8),
      text("vocation", 4),
      {.name = "age",
       .type = Type::integer,
       .max_values = 1,
       .min = 1,
       .max = 120,
       .ladder = {16},
       .published_width = 10,
       .queried_width = 10},
      {.name = "year",
       .type = Type::integer,
       .max_values = 4,
       .min = 1900,
       .max = 2100,
       .ladder = {32},
       .published_width = 20,
       .queried_width = 10},
      {.name = "income",
       .type = Type::integer,
       .visibility = Visibility::match,
       .max_values = 1,
       .min = 0,
       .max = 5'000'000,
       .ladder = {32'768, 524'288},
       .published_width = 20'001,
       .queried_width = 50'001,
       .point_group = 1000},
      place("longitude", Axis::longitude, -1'800'000, 1'799'999),
      place("latitude", Axis::latitude, -900'000, 900'000),
      text("sip", 4),
      text("mail", 4, Visibility::match),
      text("lang", 8),
      text("city", 4),
      text("org", 4),
      text("skill", 8),
      {.name = "hours",
       .type = Type::integer,
       .max_values = 4,
       .circular = true,
       .min = 0,
       .max = 23,
       .ladder = {3},
       .published_width = 8,
       .queried_width = 4},
      hybrid("room", 4),
      hybrid("course", 8),
      {.name = "ip",
       .type = Type::ip,
       .visibility = Visibility::match,
       .max_values = 4,
       .ladder = {1U << 8, 1U << 16, 1U << 24},
       .published_width = 256,
       .queried_width = 65'536,
       .point_group = 256},
      {.name = "born",
       .type = Type::date,
       .visibility = Visibility::match,
       .max_values = 1,
       .min = day_1900,
       .max = day_2100_end,
       .ladder = {32, 512},
       .published_width = 31,
       .queried_width = 1098,
       .point_group = 7},
      text("phone", 4, Visibility::hidden),
  };
}

}  // namespace

const Schema& Schema::built_in() {
  static const Schema schema = [] {
    auto made = make(1, built_in_attributes(), built_in_classes(built_in_attributes()));
    ENSURE(made.has_value());
    return *made;
  }();
  return schema;
}

}  // namespace beckon::profile
