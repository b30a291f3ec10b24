#include "profile/values/text_fold.h"

#include <doctest/doctest.h>
#include <unicode/unistr.h>

#include "base/rng.h"

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
