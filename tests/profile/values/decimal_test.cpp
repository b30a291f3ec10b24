// SPDX-License-Identifier: MIT
#include "profile/values/decimal.h"

#include <doctest/doctest.h>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::profile;

namespace {

std::int64_t fixed(const char* text, int scale, Rounding rounding = Rounding::half_even) {
  auto number = parse_decimal(text);
  REQUIRE(number.has_value());
  auto value = to_fixed(*number, scale, rounding);
  REQUIRE(value.has_value());
  return *value;
}

}  // namespace

TEST_SUITE("profile/decimal") {
  TEST_CASE("numbers are read exactly, with k and M") {
    CHECK(fixed("42", 0) == 42);
    CHECK(fixed("-1.5", 1) == -15);
    CHECK(fixed("40k", 0) == 40'000);
    CHECK(fixed("1.5M", 0) == 1'500'000);
    CHECK(fixed("4e4", 0) == 40'000);
    CHECK(fixed("23.26214", 4) == 232'621);
    CHECK(fixed("000000000000000000000000000001.5000000000000000000000000", 1) == 15);
    CHECK(fixed("0.0000000000000000000000000000001", 4) == 0);
    CHECK(fixed("999999999999999999", 0) == 999'999'999'999'999'999);
  }

  TEST_CASE("publishing rounds half to even, query bounds go outwards") {
    CHECK(fixed("0.5", 0) == 0);
    CHECK(fixed("1.5", 0) == 2);
    CHECK(fixed("2.5", 0) == 2);
    CHECK(fixed("-0.5", 0) == 0);
    CHECK(fixed("-1.5", 0) == -2);
    CHECK(fixed("2.51", 0) == 3);
    CHECK(fixed("23.26212", 4, Rounding::down) == 232'621);
    CHECK(fixed("23.26212", 4, Rounding::up) == 232'622);
    CHECK(fixed("-1.01", 1, Rounding::down) == -11);
    CHECK(fixed("-1.01", 1, Rounding::up) == -10);
    CHECK(fixed("1e-40", 4, Rounding::up) == 1);
    CHECK(fixed("-1e-40", 4, Rounding::down) == -1);
  }

  TEST_CASE("exponents, digits and magnitudes are read up to their limits") {
    CHECK(parse_decimal("1e99").has_value());
    CHECK(parse_decimal("1e-99").has_value());
    CHECK_FALSE(parse_decimal("1e100").has_value());
    CHECK_FALSE(parse_decimal("1e-100").has_value());
    CHECK(fixed("1E+2", 0) == 100);
    CHECK(fixed("+7", 0) == 7);
    CHECK(fixed("123456789012345678", 0) == 123'456'789'012'345'678);
    CHECK(fixed("0.5", 1) == 5);
    CHECK(fixed("9223372036854775e3", 0) == 9'223'372'036'854'775'000);
    CHECK_FALSE(to_fixed(*parse_decimal("9223372036854776e3"), 0, Rounding::down).has_value());
    CHECK(fixed("-9223372036854775e3", 0) == -9'223'372'036'854'775'000);
    CHECK_FALSE(to_fixed(*parse_decimal("-9223372036854776e3"), 0, Rounding::up).has_value());
    CHECK(*to_fixed({INT64_MAX, 0}, 0, Rounding::up) == INT64_MAX);
    CHECK(*to_fixed({INT64_MIN, 0}, 0, Rounding::down) == INT64_MIN);
    CHECK(fixed("-0", 0) == 0);
    CHECK(parse_decimal("0e50")->exponent == 0);
  }

  TEST_CASE("what is no number is refused") {
    for (const char* text : {"", "-", ".", "1.", ".5.", "1..2", "0x10", "1,5", "12m", "nan", "1e",
                             "1e1000", "--1", "1 2", "1234567890123456789", "1kk"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_decimal(text).has_value());
    }
    CHECK_FALSE(to_fixed(*parse_decimal("999999999999999999"), 9, Rounding::up).has_value());
    CHECK_FALSE(to_fixed(*parse_decimal("1e99"), 0, Rounding::up).has_value());
  }

  TEST_CASE("the text of a fixed point number is read back as the same number") {
    Rng rng(7);
    for (int i = 0; i < 20'000; ++i) {
      int scale = static_cast<int>(rng.below(10));
      std::int64_t value = rng.between(-1'000'000'000'000, 1'000'000'000'000) >> rng.below(40);
      std::string text = fixed_text(value, scale);
      CAPTURE(text);
      for (Rounding r : {Rounding::down, Rounding::up, Rounding::half_even}) {
        REQUIRE(fixed(text.c_str(), scale, r) == value);
      }
    }
    CHECK(fixed_text(-5, 4) == "-0.0005");
    CHECK(fixed_text(1'215'300, 4) == "121.53");
  }
}
