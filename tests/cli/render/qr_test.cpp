// SPDX-License-Identifier: MIT
#include "cli/render/qr.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace beckon;
using cli::QrCode;

TEST_SUITE_BEGIN("cli/qr");

namespace {

/// The pattern that readers look for in three corners: rings of dark, light and dark.
bool finder_at(const QrCode& code, std::size_t row, std::size_t column) {
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 7; ++j) {
      std::size_t ring = std::min({i, j, 6 - i, 6 - j});
      if (code.dark(row + i, column + j) != (ring != 1)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a code has its three corners and the same modules every time") {
  auto code = QrCode::of("beckon:a-text-of-the-length-of-an-address-that-people-give-away");
  REQUIRE(code);
  CHECK((code->size() - 17) % 4 == 0);
  CHECK(finder_at(*code, 0, 0));
  CHECK(finder_at(*code, 0, code->size() - 7));
  CHECK(finder_at(*code, code->size() - 7, 0));
  CHECK(code->svg() ==
        QrCode::of("beckon:a-text-of-the-length-of-an-address-that-people-give-away")->svg());
}

TEST_CASE("two texts have different codes, and a text too long for any code has none") {
  CHECK(QrCode::of("a")->svg() != QrCode::of("b")->svg());
  CHECK_FALSE(QrCode::of(std::string(5000, 'x')));
}

TEST_CASE("a terminal gets two rows of modules a line, with a margin on every side") {
  auto code = QrCode::of("beckon:x");
  REQUIRE(code);
  std::string text = code->terminal_text();
  auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  CHECK(2 * lines >= code->size() + 2);
}
