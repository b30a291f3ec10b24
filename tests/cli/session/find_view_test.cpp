// SPDX-License-Identifier: MIT
#include "cli/session/find_view.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/json.h"
#include "cli/render/value_text.h"

using namespace beckon;
using namespace beckon::cli;

namespace {

Json answer_of(Json people) {
  return {{"query", "age=20..30&hobby=chess"},
          {"complete", true},
          {"limited", false},
          {"people", std::move(people)},
          {"stats", {{"asked", 2}, {"answered", 2}, {"offline", 0}, {"elapsed_ms", 7.6}}},
          {"attributes", {"age", "hobby", "name"}}};
}

Json alice() {
  return {{"id", "3f9a00112233"},
          {"name", "Alice Lin"},
          {"attrs", {{"hobby", {"chess", "go"}}, {"age", {{"min", 20}, {"max", 29}}}}},
          {"online", true}};
}

}  // namespace

TEST_SUITE("cli/find_view") {
  TEST_CASE("rows show the attributes asked for, numbers to the right, and go on counting") {
    Json people = Json::array({alice(), {{"id", "aabbccddeeff"}, {"attrs", Json::object()}}});
    Json answer = answer_of(people);
    CHECK(find_columns(answer, "") == std::vector<std::string>{"age", "hobby"});
    CHECK(find_columns(answer, "city,,sip") == std::vector<std::string>{"city", "sip"});
    CHECK(people_table(people, find_columns(answer, ""), 9) ==
          "  #  NAME                         AGE  HOBBY      SEEN\n"
          " @9  Alice Lin                 20..29  chess, go  now\n"
          "@10  aabbccdd (no name shown)                     away, unverified\n");
  }

  TEST_CASE("rows that come later stand under the same headings, in the same columns") {
    PeopleRows rows({"age", "hobby"});
    std::string first = rows.add(Json::array({alice()}));
    CHECK(first ==
          "   #  NAME                           AGE  HOBBY         SEEN\n"
          "  @1  Alice Lin                   20..29  chess, go     now\n");
    Json bo{{"id", "1"}, {"name", "Bo"}, {"attrs", {{"hobby", "go"}}}, {"online", true}};
    CHECK(rows.add(Json::array({bo})) ==
          "  @2  Bo                                  go            now\n");
    CHECK(rows.count() == 2);
  }

  TEST_CASE("the summary says what must be known to judge the answer") {
    Json answer = answer_of(Json::array({alice()}));
    CHECK(find_summary(answer, false) == "1 person. Asked 2 nodes, all answered, 8 ms.\n");
    answer["people"] = Json::array();
    answer["complete"] = false;
    answer["stats"]["answered"] = 1;
    answer["stats"]["offline"] = 3;
    CHECK(find_summary(answer, false) ==
          "Nobody. Asked 2 nodes, 1 answered, 8 ms.\n"
          "3 may match too, but their nodes do not answer; --unverified shows them.\n"
          "The answer is not complete: not everybody who had to be asked answered in time.\n");
  }

  TEST_CASE("a node that is slow is not called away") {
    Json answer = answer_of(Json::array({alice()}));
    answer["complete"] = false;
    answer["stats"]["offline"] = 5;
    answer["stats"]["slow"] = 2;
    CHECK(find_summary(answer, false) ==
          "1 person. Asked 2 nodes, 2 answered, 8 ms.\n"
          "3 may match too, but their nodes do not answer; --unverified shows them.\n"
          "2 may match too, but their nodes are slow and did not answer in time; ask again.\n"
          "The answer is not complete: not everybody who had to be asked answered in time.\n");
  }

  TEST_CASE("whoever finds nobody because nobody is there is told so") {
    Json answer = answer_of(Json::array());
    answer["ring"] = {{"state", "joined"}, {"peers", 0}};
    CHECK(find_summary(answer, false).find("This node is alone") != std::string::npos);
    CHECK(find_summary(answer, false).find("beckon up --join") != std::string::npos);
    answer["ring"]["degraded"] = true;  // it looks for the others by itself
    CHECK(find_summary(answer, false).find("goes on looking") != std::string::npos);
    CHECK(find_summary(answer, false).find("beckon down") == std::string::npos);
    answer["people"] = Json::array({alice()});
    CHECK(find_summary(answer, false).find("goes on looking") != std::string::npos);
    answer["people"] = Json::array();
    answer["ring"]["degraded"] = false;
    answer["ring"]["peers"] = 3;
    CHECK(find_summary(answer, false) == "Nobody. Asked 2 nodes, all answered, 8 ms.\n");
    answer["ring"]["state"] = "joining";
    CHECK(find_summary(answer, false).find("has not joined") != std::string::npos);
  }

  TEST_CASE("fields are cut at commas, blanks around them do not count") {
    CHECK(split_fields("city, sip,,x-team ") == std::vector<std::string>{"city", "sip", "x-team"});
    CHECK(split_fields(" ").empty());
  }

  TEST_CASE("what a stranger's node sent cannot steer the terminal") {
    Json person = alice();
    person["name"] = "A\x1b[2J\nB";
    std::string table = people_table(Json::array({person}), {"hobby"}, 1);
    CHECK(table.find('\x1b') == std::string::npos);
    CHECK(std::count(table.begin(), table.end(), '\n') == 2);
  }

  TEST_CASE("values are cut at commas outside quotation marks") {
    CHECK(*split_items("chess,go") == std::vector<std::string>{"chess", "go"});
    CHECK(*split_items(R"("Lin, Alice","a \"b\" \\")") ==
          std::vector<std::string>{"Lin, Alice", R"(a "b" \)"});
    CHECK(*split_items("") == std::vector<std::string>{""});
    CHECK(!split_items("\"open"));
  }

  TEST_CASE("a long value is cut between letters") {
    CHECK(value_text(Json("ääääää"), 5) == "ää...");
    CHECK(value_text(Json({1, 2.5, "x"})) == "1, 2.5, x");
  }
}
