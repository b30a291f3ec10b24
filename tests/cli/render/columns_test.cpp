// SPDX-License-Identifier: MIT
#include "cli/render/columns.h"

#include <doctest/doctest.h>

#include "cli/render/render.h"

using namespace beckon::cli;

TEST_SUITE_BEGIN("cli/columns");

TEST_CASE("letters take the columns a terminal gives them") {
  CHECK(columns("") == 0);
  CHECK(columns("Alice") == 5);
  CHECK(columns("Zürich") == 6);
  CHECK(columns("Zu\u0308rich") == 6);  // the same with a mark of its own
  CHECK(columns("林美麗") == 6);
  CHECK(columns("ｶﾅ") == 2);  // halfwidth
  CHECK(columns("한국") == 4);
  CHECK(columns("\u1112\u1161\u11ab") == 2);  // one Hangul syllable in three pieces
  CHECK(columns("\xff\xfe") == 2);
}

TEST_CASE("a text is cut between letters, within its columns") {
  CHECK(cut_to("chess", 5) == "chess");
  CHECK(cut_to("chess", 4) == "c...");
  CHECK(cut_to("林美麗人", 7) == "林美...");
  CHECK(cut_to("林美麗人", 6) == "林...");
  CHECK(cut_to("e\u0301e\u0301e\u0301e\u0301e\u0301", 4) == "e\u0301...");
}

TEST_CASE("columns of a table stand under each other, whatever the script") {
  Table table({{"NAME"}, {"CITY"}});
  table.add({"林美麗", "Taipei"});
  table.add({"Bo Wu", "台北"});
  CHECK(table.text() == "NAME    CITY\n林美麗  Taipei\nBo Wu   台北\n");
}

TEST_SUITE_END();
