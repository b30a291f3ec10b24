// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <doctest/doctest.h>

using namespace beckon;

TEST_SUITE_BEGIN("base/text");

TEST_CASE("what could move a cursor or forge a line is shown as digits") {
  CHECK(printable("plain, Łódź, 台北") == "plain, Łódź, 台北");
  CHECK(printable("a\x1b[2Jb") == "a\\x1b[2Jb");
  CHECK(printable("one\ntwo\r\t") == "one\\x0atwo\\x0d\\x09");
  CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");           // C1 control
  CHECK(printable("\xe2\x80\xae") == "\\xe2\\x80\\xae");  // right-to-left override
  CHECK(printable("\xe2\x80\xa8") == "\\xe2\\x80\\xa8");  // line separator
  CHECK(printable("a\xff\xe2\x82") == "a\\xff\\xe2\\x82");
}

TEST_CASE("controls, separators and overrides are shown as digits and no other character is") {
  auto utf8 = [](unsigned point) {
    auto byte = [](unsigned value) { return static_cast<char>(value); };
    auto tail = [&](unsigned shift) { return byte(0x80 | ((point >> shift) & 0x3f)); };
    if (point < 0x80) return std::string{byte(point)};
    if (point < 0x800) return std::string{byte(0xc0 | point >> 6), tail(0)};
    if (point < 0x10000) return std::string{byte(0xe0 | point >> 12), tail(6), tail(0)};
    return std::string{byte(0xf0 | point >> 18), tail(12), tail(6), tail(0)};
  };
  for (unsigned point = 0; point < 0x11000; ++point) {
    if (point >= 0xd800 && point <= 0xdfff) continue;  // no characters
    bool control = point < 0x20 || (point >= 0x7f && point <= 0x9f);
    bool line_or_override = point >= 0x2028 && point <= 0x202e;
    bool isolate = point >= 0x2066 && point <= 0x2069;
    std::string text = utf8(point);
    if ((printable(text) == text) == (control || line_or_override || isolate)) FAIL_CHECK(point);
  }
}

TEST_CASE("long text is cut") {
  CHECK(printable("abcdef", 3) == "abc…");
  CHECK(printable("abc", 3) == "abc");
}

TEST_SUITE_END();
