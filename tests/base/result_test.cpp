// SPDX-License-Identifier: MIT
#include "base/result.h"

#include <doctest/doctest.h>

#include <memory>

using namespace beckon;

namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return invalid("wanted an even number");
  return x / 2;
}

Result<std::string> half_as_text(int x) {
  auto h = half(x);
  if (!h) return h.error();
  return std::to_string(*h);
}

Result<void> check(int x) {
  auto h = half(x);
  if (!h) return h.error();
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("base/result");

TEST_CASE("a result holds its value") {
  CHECK(*half(4) == 2);
  CHECK(*half_as_text(4) == "2");
  CHECK(check(4).has_value());
}

TEST_CASE("an error passes through results of other types unchanged") {
  CHECK(half_as_text(3).error() == invalid("wanted an even number"));
  CHECK(check(3).error() == invalid("wanted an even number"));
}

TEST_CASE("a result carries what can only be moved") {
  Result<std::unique_ptr<int>> r(std::make_unique<int>(7));
  std::unique_ptr<int> p = *std::move(r);
  CHECK(*p == 7);
}

TEST_SUITE_END();
