// SPDX-License-Identifier: MIT
#include "profile/index/predicate.h"

#include <fmt/core.h>

#include "base/rng.h"
#include "profile/index/elements.h"
#include "profile/index/matcher.h"
#include "profile/query/matches.h"
#include "tests/profile/make.h"
#include "tests/profile/person/people.h"
#include "tests/profile/query/extreme_queries.h"

using namespace beckon;
using namespace beckon::profile;
using test::person;

namespace {

const Schema& schema = Schema::built_in();
const Salt salt{7};

Predicates blind_of(const char* text) { return blind(schema, salt, test::query(text).branches[0]); }

bool may(const Profile& profile, const char* text) {
  Elements found = elements(schema, salt, profile);
  FilterChoice choice = choose_filter(schema, found, 1e-9);
  return may_match(schema, blind_of(text),
                   {choice.layout, found.presence, choice.open, choice.filter});
}

}  // namespace

TEST_SUITE("profile/predicate") {
  TEST_CASE("a filter rejects what is not there and lets pass what is") {
    Profile p = person({"hobby=chess", "age=20..30", "hours=22..6", "room=EC-300..310",
                        "x-team=red", "income=50000"});
    for (const char* yes :
         {"hobby=chess,go", "age=30..40", "age:=21..25", "hours=23..1", "hours:=23..2",
          "room=ec-305", "room=ec-*", "x-team=red", "age=20 has=x-team", "age=25 !has=sip",
          "income=49k..51k", "age=25 hobby!=kendo"}) {
      CAPTURE(yes);
      CHECK(may(p, yes));
    }
    for (const char* no :
         {"hobby=kendo", "age=50..60", "age:=21..50", "hours=10..20", "hours:=5..8", "room=ed-305",
          "room=ed-*", "x-team=blue", "age=20 has=x-club", "age=25 has=sip", "city=rome",
          "age=25 !has=hobby", "income=80k..90k"}) {
      CAPTURE(no);
      CHECK_FALSE(may(p, no));
    }
  }

  TEST_CASE("negation and starts-with are the owner's to decide, so a filter never drops them") {
    Profile p = person({"hobby=chess", "age=25", "name=Alice"});
    CHECK(may(p, "age=25 hobby!=chess"));  // false in truth, but only the owner may say so
    CHECK(may(p, "age=25 name~=bo"));
    CHECK_FALSE(may(p, "age=25 city~=bo"));  // has no city at all
    CHECK(blind_of("age=25 hobby!=chess").size() == 1);
    CHECK(blind_of("age=25 !near=1,1,5km").size() == 1);
  }

  TEST_CASE(
      "whoever matches passes in every class and every length, and the quick matcher agrees") {
    Rng rng(23);
    int true_pairs = 0;
    int false_positives = 0;
    int false_pairs = 0;
    for (int round = 0; round < 1'500; ++round) {
      Profile profile = test::random_person(rng);
      Elements found = elements(schema, salt, profile);
      std::vector<filters::BitArray> bases;
      for (const LayoutClass& layout : schema.classes())
        bases.push_back(make_filter(schema, found, layout));
      for (int i = 0; i < 4; ++i) {
        Branch branch = test::random_branch(rng, profile);
        bool truth = matches(schema, profile, Query{{branch}});
        auto predicates = decode_predicates(encode(blind(schema, salt, branch)));
        REQUIRE(predicates.has_value());
        Matcher matcher(schema, *predicates);
        CAPTURE(canonical(schema, Query{{branch}}));
        for (std::uint8_t layout = 0; layout < schema.classes().size(); ++layout) {
          std::uint16_t length = filter_lengths[rng.below(filter_lengths.size())];
          filters::BitArray folded = bases[layout].fold(length);
          CAPTURE(int{layout});
          CAPTURE(length);
          std::uint32_t open = open_slots(schema, found, schema.classes()[layout]);
          FilterView view{layout, found.presence, open, folded};
          bool maybe = may_match(schema, *predicates, view);
          if (truth) REQUIRE(maybe);
          REQUIRE(matcher.may_match(view) == maybe);
          if (!truth && length >= 768) {
            ++false_pairs;
            false_positives += maybe ? 1 : 0;
          }
        }
        true_pairs += truth ? 1 : 0;
      }
    }
    CHECK(true_pairs > 1'000);
    CHECK(false_positives < false_pairs);  // negations pass always, so no rate is claimed here
  }

  TEST_CASE("a question beyond all measure costs no more than its bound, and loses nobody") {
    Profile p = person({"hobby=chess", "age=25"});
    Elements found = elements(schema, salt, p);
    auto slot = *schema.slot("age");
    Predicates predicates = blind_of("hobby=chess age=25");
    auto test = std::get<NumberTest>(predicates[0].slot == slot ? predicates[0].any[0]
                                                                : predicates[1].any[0]);
    Clause wide{.slot = slot};
    for (int i = 0; i < 250; ++i) wide.any.emplace_back(NumberTest{test.seed, 60, 100});
    predicates.push_back(wide);  // false, but too dear to be looked at
    Matcher matcher(schema, predicates);
    for (std::uint8_t layout = 0; layout < schema.classes().size(); ++layout) {
      auto filter = make_filter(schema, found, schema.classes()[layout]);
      std::uint64_t before = matcher.work();
      CHECK(matcher.may_match(FilterView{layout, found.presence, 0, filter}));
      CHECK(matcher.work() - before <= 2 * Matcher::max_positions);
      CHECK(matcher.work() - before > 0);
    }
  }

  TEST_CASE("what a question costs counts positions hashed once and bits looked at each time") {
    Profile p = person({"hobby=chess"});
    Elements found = elements(schema, salt, p);
    auto filter = make_filter(schema, found, schema.classes()[0]);
    Matcher matcher(schema, blind_of("hobby=chess"));
    CHECK(matcher.work() == 0);
    CHECK(matcher.may_match(FilterView{0, found.presence, 0, filter}));
    std::uint64_t first = matcher.work();
    CHECK(matcher.may_match(FilterView{0, found.presence, 0, filter}));
    std::uint64_t second = matcher.work() - first;
    CHECK(second > 0);
    CHECK(first == 2 * second);
  }

  TEST_CASE("a question over more than 256 groups is not tested") {
    Profile p = person({"born=1990-01-01"});
    CHECK(may(p, "born=2000..2099"));        // 36 525 days, 5 218 groups of a week
    CHECK_FALSE(may(p, "born=2000..2002"));  // 157 groups of a week, and no more ranges
    CHECK_FALSE(may(person({"age=5"}), "born=2000..2099"));  // presence still decides
  }

  TEST_CASE("a range too wide for the filter stays out of it and spoils nothing else") {
    Profile p = person({"hobby=chess", "ip=0.0.0.0/0", "age=25"});
    FilterChoice choice = choose_filter(schema, elements(schema, salt, p), 5.5e-3);
    CHECK(choice.open == std::uint32_t{1} << *schema.slot("ip"));
    CHECK(choice.fpr <= 5.5e-3);
    CHECK(choice.filter.size() <= 256);
    CHECK(may(p, "ip=10.0.0.1"));
    CHECK_FALSE(may(p, "ip=10.0.0.1 hobby=kendo"));
  }

  TEST_CASE("golden: the bytes of a small question") {
    Predicates predicates{{.slot = 4, .any = {TextTest{{.low = 2, .high = 1}}}},
                          {.slot = 6,
                           .relation = Relation::covers,
                           .any = {NumberTest{filters::AttributeSeed{3}, 19, 29}}},
                          {.slot = 9, .absent = true}};
    CHECK(to_hex(encode(predicates)) ==
          "03"
          "04000101"
          "0000000000000001"
          "0000000000000002"
          "06020102"
          "0000000000000003"
          "0000000000000013"
          "000000000000001d"
          "090100");
    CHECK(*decode_predicates(encode(predicates)) == predicates);
  }

  TEST_CASE("unknown ignorable flags of a clause are passed over, unknown critical ones named") {
    Predicates predicates{{.slot = 9, .absent = true}};
    Bytes bytes = encode(predicates);
    bytes[2] |= 0xf0;
    auto read = decode_predicates(bytes);
    REQUIRE(read.has_value());
    CHECK(*read == predicates);
    bytes[2] |= 0x08;
    CHECK(decode_predicates(bytes).error().text ==
          "predicates: bad flag bit 3, critical and not known here");
    CHECK(decode_predicates(*from_hex("0104000103")).error().text ==
          "predicates: bad kind of test, not known here");
  }

  TEST_CASE("every shorter or longer question is refused, and so are flags out of place") {
    Bytes bytes = encode(blind_of("hobby=chess,go age:=20..30 has=sip near=25,121,5km"));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CHECK_FALSE(decode_predicates(ByteView(bytes).first(size)).has_value());
    }
    bytes.push_back(0);
    CHECK_FALSE(decode_predicates(bytes).has_value());
    for (const char* bad : {"01200000", "01040400", "01040300",
                            "010401010100000000000000010000000000000002", "0104000103",
                            "01060001020000000000000003000000000000000200000000000000"
                            "01",
                            "a1"}) {
      CAPTURE(bad);
      CHECK_FALSE(decode_predicates(*from_hex(bad)).has_value());
    }
    CHECK(decode_predicates(*from_hex("00")).has_value());
  }

  TEST_CASE("what can be read can be sent, however extreme its shape") {
    Rng rng(31);
    int refused = 0;
    int sent = 0;
    std::size_t most_clauses = 0;
    for (int round = 0; round < 2'000; ++round) {
      std::string text = test::extreme_query(rng);
      CAPTURE(text);
      QueryReading reading = read_query(schema, text);
      REQUIRE(reading.query.has_value() == reading.problems.empty());
      for (const Problem& problem : reading.problems) REQUIRE(problem.offset <= text.size());
      refused += reading.query ? 0 : 1;
      if (!reading.query) continue;
      ++sent;
      std::string asked = canonical(schema, *reading.query);  // what hosts are asked
      REQUIRE(asked.size() <= Query::max_text);
      REQUIRE(*parse_query(schema, asked) == *reading.query);
      for (const Branch& branch : reading.query->branches) {
        Predicates predicates = blind(schema, salt, branch);
        most_clauses = std::max(most_clauses, predicates.size());
        auto read = decode_predicates(encode(predicates));
        REQUIRE(read.has_value());
        REQUIRE(*read == predicates);
        REQUIRE_FALSE(accesses(schema, salt, branch).empty());
      }
    }
    CHECK(refused > 100);  // both sides of the edge were seen
    CHECK(sent > 100);
    CHECK(most_clauses > max_clauses - 20);
  }

  TEST_CASE("a query that becomes too large on its way is refused where it does") {
    std::string text;
    for (int i = 1; i <= 31; ++i) text += fmt::format("near={0},{0},1km ", i);
    std::size_t at = text.size();
    text += "hours:=";
    for (int i = 0; i < 64; ++i)
      text += fmt::format("{}{}..{}", i > 0 ? "," : "", 12 + i / 11, i % 11);
    auto reading = read_query(schema, text);
    REQUIRE(reading.problems.size() == 1);
    CHECK(reading.problems[0].offset == at);
    CHECK(reading.problems[0].size == text.size() - at);
    CHECK(reading.problems[0].text.find("160 conditions") != std::string::npos);
  }

  TEST_CASE("a query whose canonical spelling hosts could not read is refused") {
    std::string list = "(|";
    for (int i = 0; i < 16; ++i) list += fmt::format("(age={})", 20 + i);
    std::string text = "(&" + list + ")(hobby=" + std::string(250, 'a') + "))";
    CHECK(test::problem(text).find("written out this query has") != std::string::npos);
    CHECK(test::problem("(&" + list + ")(hobby=aaa))").empty());
  }
}
