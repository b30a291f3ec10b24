// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <doctest/doctest.h>

using namespace beckon;

TEST_SUITE("base/log") {
  TEST_CASE("fields follow the sentence, and only a value that needs quotes has them") {
    CHECK(to_text(LogLine{LogLevel::info, "this node is joined"}) == "this node is joined");
    LogLine line{LogLevel::debug,
                 "link down",
                 {{"peer", "1f9a3c02"},
                  {"address", "[2001:db8::1]:4290"},
                  {"reason", "closed by the peer"},
                  {"of", ""},
                  {"odd", "a=\"b\\c\""}}};
    CHECK(to_text(line) ==
          "link down peer=1f9a3c02 address=[2001:db8::1]:4290 reason=\"closed by the peer\" "
          "of=\"\" odd=\"a=\\\"b\\\\c\\\"\"");
  }

  TEST_CASE("no value breaks out of its line or makes it endless") {
    std::string text = to_text(LogLine{LogLevel::info, "x", {{"y", "a\nb\x1b[31m\xff"}}});
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(to_text(LogLine{LogLevel::info, "x", {{"y", std::string(100'000, 'z')}}}).size() < 500);
  }
}
