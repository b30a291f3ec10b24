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

TEST_CASE("long text is cut") {
  CHECK(printable("abcdef", 3) == "abc…");
  CHECK(printable("abc", 3) == "abc");
}

TEST_SUITE_END();
