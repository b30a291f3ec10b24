// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/cli/run_beckon.h"

using beckon::tests::check_refused;
using beckon::tests::Ran;
using beckon::tests::run_beckon;
using nlohmann::json;

TEST_SUITE_BEGIN("cli/filter_count");

namespace {

/// Lines "1" once, "2" twice ... "30" thirty times, in a file that goes away again.
class Numbers {
 public:
  Numbers() {
    char name[] = "/tmp/beckon-count-XXXXXX";
    std::FILE* file = fdopen(mkstemp(name), "wb");
    path_ = name;
    for (int round = 1; round <= 30; ++round) {
      for (int i = round; i <= 30; ++i) std::fprintf(file, "%d\n", i);
    }
    std::fclose(file);
  }
  ~Numbers() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("filter count prints the most frequent lines, most frequent first") {
  Numbers numbers;
  Ran ran = run_beckon({"filter", "count", numbers.path(), "--top", "3"});
  CHECK(ran.exit == 0);
  CHECK(ran.out == "count  line\n   30  30\n   29  29\n   28  28\n");
  CHECK(ran.err.find("465 lines in") != std::string::npos);
}

TEST_CASE("what filter count saves answers filter ask as the counting did") {
  Numbers numbers;
  beckon::tests::TemporaryFile kept("");
  Ran saved = run_beckon(
      {"filter", "count", numbers.path(), "--bits", "80000", "--save", kept.path(), "-q"});
  REQUIRE(saved.exit == 0);
  Ran asked = run_beckon({"filter", "ask", kept.path(), "30", "7", "never seen", "--json"});
  REQUIRE(asked.exit == 0);
  json answer = json::parse(asked.out);
  CHECK(answer["lines"] == 465);
  CHECK(answer["answers"][0]["count"] == 30);
  CHECK(answer["answers"][1]["count"] == 7);
  CHECK(answer["answers"][2]["count"] == 0);
  CHECK(answer["bytes"] < 80000 / 8);
  CHECK(run_beckon({"filter", "ask", numbers.path(), "30"}).exit == 2);
  CHECK(run_beckon({"filter", "ask", kept.path() + "x", "30"}).exit == 2);
  CHECK(run_beckon({"filter", "ask", "/tmp", "30"}).exit == 2);
  CHECK(run_beckon({"filter", "ask", "/dev/zero", "30"}).exit == 2);
  Ran other =
      run_beckon({"filter", "count", numbers.path(), "--method", "rm", "--save", kept.path()});
  CHECK(other.exit == 2);
  CHECK(other.err.find("--save needs --method ms") != std::string::npos);
}

TEST_CASE("filter count --at-least --exact in JSON agrees with the truth for every method") {
  Numbers numbers;
  for (std::string method : {"ms", "mi", "rm", "trm"}) {
    CAPTURE(method);
    Ran ran = run_beckon({"--json", "filter", "count", numbers.path(), "--at-least", "21",
                          "--exact", "--method", method});
    REQUIRE(ran.exit == 0);
    json got = json::parse(ran.out);
    CHECK(got["lines"] == 465);
    CHECK(got["complete"] == true);
    CHECK(got["exactness"]["distinct"] == 30);
    CHECK(got["exactness"]["wrong"] == 0);
    REQUIRE(got["answers"].size() == 10);
    for (const json& row : got["answers"]) {
      CHECK(row["count"] == row["exact"]);
      CHECK(row["line"] == std::to_string(row["count"].get<int>()));
    }
  }
}

TEST_CASE(
    "filter count reads standard input, finds nothing in nothing, and says when it kept too few") {
  Ran empty = run_beckon({"filter", "count", "-"});
  CHECK(empty.exit == 1);
  Numbers numbers;
  CHECK(run_beckon({"filter", "count", numbers.path(), "--at-least", "2", "--top", "3"}).exit == 4);
  CHECK(run_beckon({"filter", "count", numbers.path(), "--at-least", "1000"}).exit == 1);
}

TEST_CASE(
    "wrong flags of count, fold and errors are one sentence that names the flag, and exit 2") {
  Numbers numbers;
  std::vector<std::string> fold{"filter", "fold", "--k", "4", "--items", "1000"};
  auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  check_refused({
      {{"filter", "count", "/no/such/file"}, "FILE: cannot open"},
      {{"filter", "count", numbers.path(), "--method", "xy"}, "--method must be"},
      {{"filter", "count", numbers.path(), "--bits", "3"}, "--bits must be"},
      {{"filter", "count", numbers.path(), "--k", "99"}, "--k must be"},
      {{"filter", "count", numbers.path(), "--top", "0"}, "--top must be"},
      {{"filter", "count", numbers.path(), "--k", "-1"}, "got -1"},
      {{"filter", "count", numbers.path(), "--at-least", "-1"}, "--at-least: must be"},
      {with(fold, {"--bits", "-1", "--rate", "0.01..0.02"}), "got -1"},
      {with(fold, {"--bits", "7", "--rate", "0.01..0.02"}), "--bits must be"},
      {with(fold, {"--bits", "720", "--rate", "0.02..0.01"}), "--rate must be"},
      {with(fold, {"--bits", "720", "--rate", "x"}), "--rate must be"},
      {{"filter", "errors", "--skew", "-1"}, "--skew"},
      {{"filter", "errors", "--plot", "nonsense"}, "--plot must be"},
  });
}

TEST_CASE("filter fold shows the admissible folds and takes the smallest") {
  Ran ran = run_beckon({"--json", "filter", "fold", "--bits", "55440", "--k", "4", "--items",
                        "1000", "--rate", "0.005..0.05", "--sends", "3"});
  REQUIRE(ran.exit == 0);
  json got = json::parse(ran.out);
  CHECK(got["within"] == true);
  CHECK(got["chosen"]["bits"] == 6930);
  CHECK(got["admissible"].size() == 4);
  CHECK(got["sends"].size() == 3);
  Ran none = run_beckon(
      {"filter", "fold", "--bits", "20014", "--k", "4", "--items", "100", "--rate", "0.01..0.02"});
  CHECK(none.exit == 1);
  CHECK(none.out.find("no divisor of 20014") != std::string::npos);
}

TEST_CASE("filter errors ranks minimal increase first, and the same seed gives the same answer") {
  std::vector<std::string> words{"--json",   "filter", "errors", "--distinct", "300",
                                 "--length", "6000",   "--runs", "2"};
  Ran ran = run_beckon(words);
  REQUIRE(ran.exit == 0);
  CHECK(run_beckon(words).out == ran.out);
  for (const json& row : json::parse(ran.out)) {
    CHECK(row["methods"][1]["wrong"] <= row["methods"][0]["wrong"]);
  }
}

TEST_SUITE_END();
