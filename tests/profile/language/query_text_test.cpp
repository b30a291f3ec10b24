// SPDX-License-Identifier: MIT
#include "profile/language/query_text.h"

#include "base/rng.h"
#include "tests/profile/make.h"

using namespace beckon;
using namespace beckon::profile;
using test::canonical_of;
using test::problem;

namespace {

std::string drawn(const std::string& text) {
  auto parsed = parse_query(Schema::built_in(), text);
  return parsed ? "" : parsed.error().text;
}

}  // namespace

TEST_SUITE("profile/query_text") {
  TEST_CASE("the canonical form is sorted, folded and says everything once") {
    CHECK(canonical_of("hobby=chess age=20..30") == "age=20..30&hobby=chess");
    CHECK(canonical_of("hobby=chess&age=20..30 hobby=Chess") == "age=20..30&hobby=chess");
    CHECK(canonical_of("HOBBY=Go,chess,go") == "hobby=chess,go");
    CHECK(canonical_of("hobby=chess, go") == "hobby=chess,go");
    CHECK(canonical_of("name=\"Alice  Lin\"") == "name=\"alice lin\"");
    CHECK(canonical_of("income=40k..1.5M") == "income=40000..1500000");
    CHECK(canonical_of("hours:=9..17") == "hours:=9..17");
    CHECK(canonical_of("age=20 name~=al") == "age=20&name~=al");
    CHECK(canonical_of("age=20 has=sip city!=taipei") == "age=20&city!=taipei&has=sip");
    CHECK(canonical_of("near=25.05,121.53,5km") == "near=25.05,121.53,5km");
    CHECK(canonical_of("near=25.05,121.53,1.5km") == "near=25.05,121.53,1500m");
    CHECK(canonical_of("room=EC-300..399 course=CS2008") == "course=cs2008&room=ec-300..399");
    CHECK(canonical_of("ip=140.113.214.0/24") == "ip=140.113.214.0/24");
    CHECK(canonical_of("born=2008-07") == "born=2008-07-01..2008-07-31");
    CHECK(canonical_of("x-height=1.8..1.9 x-team=Red") == "x-height=1.8..1.9&x-team=red");
    CHECK(canonical_of("age=20|age=30 hobby=go|age=20") == "age=20|age=30&hobby=go");
    CHECK(canonical_of("!age=20 hobby=go") == "age!=20&hobby=go");
    CHECK(canonical_of("!age!=20") == "age=20");
    CHECK(canonical_of("sip=sip:alice@example.net") == "sip=sip:alice@example.net");
    CHECK(canonical_of("skill=\"=x\",\"a\\\"b\\\\\"") == "skill=\"=x\",\"a\\\"b\\\\\"");
  }

  TEST_CASE("a problem points at its column and tells the cure, and all are told at once") {
    CHECK(drawn("hobbby=chess age=20-30") ==
          "cannot read the query\n"
          "  hobbby=chess age=20-30\n"
          "  ^^^^^^ no attribute \"hobbby\". Close: hobby\n"
          "                   ^^^^^ a range is written 20..30");
    CHECK(drawn("city=臺北 agee=2") ==
          "cannot read the query\n"
          "  city=臺北 agee=2\n"
          "            ^^^^ no attribute \"agee\". Close: age");
    CHECK(picture("a=b", {{.offset = 2, .size = 1, .text = "one"}}) == "  a=b\n    ^ one");
    CHECK(picture("a=b", {{.offset = 1, .size = 2, .text = "two"}}) == "  a=b\n   ^^ two");
    CHECK(picture("a=b", {{.offset = 9, .size = 9, .text = "end"}}) == "  a=b\n     ^ end");
  }

  TEST_CASE("what is not understood is never ignored") {
    CHECK(problem("") == "the query is empty; write attribute=value, as hobby=chess");
    CHECK(problem("chess").starts_with("\"chess\" is no term"));
    CHECK(problem("=chess").starts_with("an attribute is missing"));
    CHECK(problem("hobby=").starts_with("a value is missing"));
    CHECK(problem("hobby=chess,,go").starts_with("a value is missing"));
    CHECK(problem("age>=20") == "at least 20 is written age=20..");
    CHECK(problem("age<20") == "at most 20 is written age=..20");
    CHECK(problem("born>2000") == "at least 2008-07 is written born=2008-07..");
    for (const char* text : {"hobby>chess", "Hobby<=chess", "room>5", "ip<10.0.0.1"}) {
      CAPTURE(text);
      CHECK(problem(text).find("is not a number or a date; there are = != ~=") !=
            std::string::npos);
    }
    CHECK(problem("age==20").starts_with("no operator \"==\""));
    CHECK(problem("hobby=\"chess").find("not closed") != std::string::npos);
    CHECK(problem("hobby=\"a\"b").find("after a quotation mark") != std::string::npos);
    CHECK(problem("age~=20").find("~= compares texts") != std::string::npos);
    CHECK(problem("age=30..20").find("ends before it starts") != std::string::npos);
    CHECK(problem("age=20kg").find("is not a number") != std::string::npos);
    CHECK(problem("age=20 has=sipp").find("Close: sip") != std::string::npos);
    CHECK(problem("age=20 has=sip,mail").find("one attribute") != std::string::npos);
    CHECK(problem("near=25.05,121.53").find("near is written") != std::string::npos);
    CHECK(problem("near=95,121,5km").find("latitude") != std::string::npos);
    CHECK(problem("near=25,121,5miles").find("distance") != std::string::npos);
    for (const char* good : {"near=90,180,1m", "near=-90,-180,20004km", "near=0,0,20004000m"}) {
      CHECK(problem(good).empty());
    }
    for (const char* bad : {"near=90.000001,0,1m", "near=-90.000001,0,1m", "near=0,180.000001,1m",
                            "near=0,-180.000001,1m", "near=0,0,0m", "near=0,0,20004001m",
                            "near=0,0,20004.001km", "near=0,0,5", "near=0,0,m"}) {
      CAPTURE(bad);
      CHECK_FALSE(problem(bad).empty());
    }
    CHECK(problem("near:=25,121,5km").find("written with =") != std::string::npos);
    CHECK(problem("age=20||age=30").find("a term is missing") != std::string::npos);
    CHECK(problem("hobby=\xff").find("UTF-8") != std::string::npos);
    CHECK(problem("hobby=a\x01").find("control character") != std::string::npos);
  }

  TEST_CASE("a term that tells nobody apart needs an ordinary one beside it, in every branch") {
    CHECK(problem("city!=taipei").find("need an ordinary term") != std::string::npos);
    CHECK(problem("has=sip").find("need an ordinary term") != std::string::npos);
    CHECK(problem("name~=al").find("need an ordinary term") != std::string::npos);
    CHECK(problem("name~=ali,bo").find("need an ordinary term") != std::string::npos);
    CHECK(problem("age=20|has=sip").find("need an ordinary term") != std::string::npos);
    CHECK(problem("name~=ali") == "");
    CHECK(problem("name~=林志玲") == "");
  }

  TEST_CASE("queries are bounded in bytes, terms, items and branches") {
    CHECK(problem(std::string(4097, 'a')).find("at most 4096") != std::string::npos);
    CHECK(problem("age=20 " + std::string(4089, ' ')) == "");
    auto repeat = [](const char* what, int n, const char* glue) {
      std::string out;
      for (int i = 0; i < n; ++i)
        out += (i > 0 ? glue : "") + std::string(what) + std::to_string(i + 1);
      return out;
    };
    CHECK(problem(repeat("age=", 32, " ")) == "");
    CHECK(problem(repeat("age=", 33, " ")).find("more than 32 terms") != std::string::npos);
    CHECK(problem("hobby=" + repeat("h", 64, ",")) == "");
    CHECK(problem("hobby=" + repeat("h", 65, ",")).find("more than 64 items") != std::string::npos);
    CHECK(problem(repeat("age=", 16, "|")) == "");
    CHECK(problem(repeat("age=", 17, "|")).find("at most 16") != std::string::npos);
  }

  TEST_CASE("the canonical form of whatever can be read is its own canonical form") {
    const std::vector<std::string> parts{"age=",
                                         "20..30",
                                         "hobby",
                                         "=",
                                         "!=",
                                         "~=",
                                         ":=",
                                         "chess",
                                         ",",
                                         " ",
                                         "&",
                                         "|",
                                         "\"a b\"",
                                         "has=sip",
                                         "near=25,121,5km",
                                         "room=EC-300..399",
                                         "x-a=",
                                         "1.5",
                                         "hours:=22..6",
                                         "!",
                                         "ip=10.0.0.0/8",
                                         "born=2008",
                                         "(age=20)",
                                         "name~=alice",
                                         "ß"};
    Rng rng(3);
    int good = 0;
    for (int round = 0; round < 30'000; ++round) {
      std::string text;
      for (std::uint64_t i = 0; i < 1 + rng.below(9); ++i) text += parts[rng.below(parts.size())];
      auto reading = read_query(Schema::built_in(), text);
      CAPTURE(text);
      REQUIRE(reading.query.has_value() == reading.problems.empty());
      if (!reading.query) continue;
      ++good;
      std::string once = canonical(Schema::built_in(), *reading.query);
      auto again = parse_query(Schema::built_in(), once);
      CAPTURE(once);
      REQUIRE(again.has_value());
      REQUIRE(*again == *reading.query);
      REQUIRE(canonical(Schema::built_in(), *again) == once);
    }
    CHECK(good > 500);
  }
}
