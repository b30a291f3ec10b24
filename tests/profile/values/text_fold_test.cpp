// SPDX-License-Identifier: MIT
#include "profile/values/text_fold.h"

#include <doctest/doctest.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "base/hash.h"
#include "base/rng.h"
#include "profile/values/fold_table.h"

using namespace beckon;
using namespace beckon::profile;

TEST_SUITE("profile/text_fold") {
  TEST_CASE("spellings people take for the same fold together") {
    auto same = [](const char* a, const char* b) {
      CAPTURE(a);
      CHECK(*fold_text(a) == *fold_text(b));
    };
    same("Chess", "cHESS");
    same("Café  Müller ", "cafe muller");
    same("STRASSE", "straße");
    same("ＮＣＴＵ", "nctu");
    same("\t ice\n skating", "ice skating");
    same("A\u030Angstro\u0308m", "Ångström");
    same("ﬁnance", "finance");
    same("soft\u00ADware", "software");
    same("ΣΊΣΥΦΟΣ", "σισυφος");
    same("Łódź", "LODZ");
    same("Ørsted", "orsted");
    same("Ǿrsted", "orsted");
    same("Diyarbakır", "DIYARBAKIR");
    same("Þór Æðelred Œuvre", "thor aedelred oeuvre");
    same("O’Brien", "O'Brien");
    same("O´Brien", "O`Brien");
    same("“Bob”", "\"bob\"");
    same("Jean\u2011Luc", "Jean-Luc");
    same("Jean–Luc", "Jean\u2212Luc");
  }

  TEST_CASE("the table is in order, ASCII behind it, and every row of it takes effect") {
    CHECK(fold_table.size() == 88);
    for (std::size_t i = 0; i < fold_table.size(); ++i) {
      if (i > 0) REQUIRE(fold_table[i - 1].written < fold_table[i].written);
      std::string written;
      icu::UnicodeString(static_cast<UChar32>(fold_table[i].written)).toUTF8String(written);
      std::string folded;
      icu::UnicodeString(fold_table[i].folded).toUTF8String(folded);
      CAPTURE(written);
      CHECK(*fold_text(written) == folded);
    }
  }

  TEST_CASE("marks that make other words stay") {
    CHECK(*fold_text("が") != *fold_text("か"));
    CHECK(*fold_text("कु") != *fold_text("क"));
    CHECK(*fold_text("한") == "한");
  }

  TEST_CASE("texts that cannot be compared are refused") {
    CHECK_FALSE(fold_text("").has_value());
    CHECK_FALSE(fold_text("  \t ").has_value());
    CHECK_FALSE(fold_text("\u00AD").has_value());
    CHECK_FALSE(fold_text("a\x01z").has_value());
    CHECK_FALSE(fold_text("\x1b[31mred").has_value());
    CHECK_FALSE(fold_text("\xff\xfe").has_value());
    CHECK_FALSE(fold_text(std::string(257, 'a')).has_value());
    CHECK(fold_text(std::string(256, 'a')).has_value());
    std::string grows;  // one character of 3 bytes folds to 33
    for (int i = 0; i < 60; ++i) grows += "\uFDFA";
    CHECK_FALSE(fold_text(grows).has_value());
  }

  // Unicode 15.0 with every ICU from 72 on. If this fails with a later one, that ICU changed what
  // an old character becomes, and its nodes would not find people of others.
  TEST_CASE("every character folds as Unicode 15.0 says, whichever ICU is installed") {
    std::string all;
    for (UChar32 c = 0; c <= 0x10FFFF; ++c) {
      if (c >= 0xD800 && c <= 0xDFFF) continue;
      std::string utf8;
      icu::UnicodeString(c).toUTF8String(utf8);
      auto folded = fold_text(utf8);
      all += (folded ? *folded : "") + "\n";
      if (!folded) continue;
      CAPTURE(c);
      auto again = fold_text(*folded);
      REQUIRE((again && *again == *folded));
    }
    INFO("installed: ICU " U_ICU_VERSION ", Unicode " U_UNICODE_VERSION);
    CHECK(to_hex(sha256(as_bytes(all))) ==
          "31d02350acd03409885bb6f2b343f10bb28e4e42772eb9e6d6cb2a2283091299");
    CHECK(*fold_text("\u1C89") == "\u1C89");  // of Unicode 16, which folds it to U+1C8A
  }

  TEST_CASE("folding a folded text changes nothing") {
    Rng rng(11);
    for (int round = 0; round < 20'000; ++round) {
      icu::UnicodeString text;
      for (std::uint64_t i = 0; i < 1 + rng.below(8); ++i) {
        auto plane = rng.below(4);
        auto c = static_cast<UChar32>(plane == 0   ? rng.below(0x250)
                                      : plane == 1 ? 0x300 + rng.below(0x400)
                                      : plane == 2 ? rng.below(0xD800)
                                                   : 0xE000 + rng.below(0x10000));
        text.append(c);
      }
      std::string utf8;
      text.toUTF8String(utf8);
      auto once = fold_text(utf8);
      if (!once) continue;
      auto twice = fold_text(*once);
      CAPTURE(utf8);
      REQUIRE(twice.has_value());
      REQUIRE(*twice == *once);
    }
  }
}
