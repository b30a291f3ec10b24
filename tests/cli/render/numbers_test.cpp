// SPDX-License-Identifier: MIT
#include "cli/render/numbers.h"

#include <doctest/doctest.h>

using namespace beckon::cli;

TEST_SUITE_BEGIN("cli/numbers");

TEST_CASE("whole numbers are read whole and within limits") {
  CHECK(*read_whole("--n", "-12", {-20, 20}) == -12);
  for (const char* wrong :
       {"", " 1", "1 ", "1x", "0x10", "1.0", "+1", "21", "99999999999999999999"}) {
    CAPTURE(wrong);
    auto value = read_whole("--n", wrong, {-20, 20});
    REQUIRE_FALSE(value);
    CHECK(value.error().text ==
          "--n must be a whole number from -20 to 20, got '" + std::string(wrong) + "'");
  }
}

TEST_CASE("spans keep their order and may be single only where allowed") {
  auto span = read_span("--k", "-3..7", {-10, 10}, Span::range_only);
  REQUIRE(span);
  CHECK(span->low == -3);
  CHECK(span->high == 7);
  CHECK(read_span("--k", "4", {1, 10}, Span::single_too)->high == 4);
  CHECK_FALSE(read_span("--k", "4", {1, 10}, Span::range_only));
  CHECK_FALSE(read_span("--k", "4..", {1, 10}, Span::single_too));
  CHECK_FALSE(read_span("--k", "5..4", {1, 10}, Span::single_too));
}

TEST_CASE("weights are finite and not negative") {
  CHECK(*read_weight("--w", "0.5") == 0.5);
  CHECK(*read_weight("--w", "1e3") == 1000);
  for (const char* wrong : {"", "nan", "inf", "-0.1", "1e999", "one"}) {
    CAPTURE(wrong);
    CHECK_FALSE(read_weight("--w", wrong));
  }
}

TEST_SUITE_END();
