// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_beckon.h"

using namespace beckon::tests;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

const Words table1 = {"--attr", "age:1..120:10",
                      "--attr", "year:1900..2100:20",
                      "--attr", "income:0..5000:500",
                      "--attr", "longitude:-1800000..1800000:100",
                      "--text", "5",
                      "--attr", "latitude:-900000..900000:100"};

Ran design(Words more) {
  Words words{"filter", "design"};
  words.insert(words.end(), more.begin(), more.end());
  return run_beckon(words);
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json design_json(const Words& more) {
  Ran ran = design(with(more, {"--json"}));
  CAPTURE(ran.err);
  REQUIRE(ran.exit == 0);
  return json::parse(ran.out);
}

/// Refused with this sentence, in plain and in JSON.
void check_refused(const Words& words, const std::string& sentence) {
  Ran plain = design(words);
  CAPTURE(sentence);
  CHECK(plain.exit == 2);
  CHECK(plain.out.empty());
  CHECK(plain.err == "beckon: " + sentence + "\n");
  Ran in_json = design(with(words, {"--json"}));
  CHECK(in_json.exit == 2);
  json reply = json::parse(in_json.out);
  CHECK(reply.at("error").at("code") == "usage");
  CHECK(reply.at("error").at("message") == sentence);
}

}  // namespace

TEST_SUITE_BEGIN("cli/filter design");

TEST_CASE("design answers with the published layout of Table 1 in every promised field") {
  json answer = design_json(with(table1, {"--bits", "512"}));
  CHECK(answer.at("bits") == 512);
  CHECK(answer.at("k") == 15);
  CHECK(answer.at("method") == "best");
  CHECK(answer.at("total_fpr").get<double>() == doctest::Approx(5.495609e-3).epsilon(1e-6));
  CHECK(answer.at("set_bits").get<double>() == doctest::Approx(270.078).epsilon(1e-5));
  CHECK(answer.at("positions").get<double>() == doctest::Approx(383.47525).epsilon(1e-6));
  const json& age = answer.at("attributes").at(0);
  CHECK(age.at("name") == "age");
  CHECK(age.at("scope") == 120);
  CHECK(age.at("width") == 10);
  CHECK(age.at("d") == 1);
  CHECK(age.at("s") == 6);
  CHECK(age.at("positions") == 69.0);
  CHECK(age.at("fpr").get<double>() == doctest::Approx(4.635281e-4).epsilon(1e-5));
  CHECK(answer.at("text").at("count") == 5);
  CHECK(answer.at("text").at("positions") == 75.0);
  CHECK(answer.at("text").at("fpr").get<double>() == doctest::Approx(6.745306e-5).epsilon(1e-5));
  for (const char* way : {"go", "hybrid", "dyadic", "plain_bloom", "explicit"}) {
    CHECK(answer.at("same_bits").at(way).at("total_fpr").get<double>() >= 0);
  }
}

TEST_CASE("every method answers, and only hybrid passes 5e-3 downwards") {
  for (const char* method : {"best", "two-phase", "thesis", "hybrid"}) {
    json answer = design_json(with(table1, {"--bits", "512", "--method", method}));
    CHECK(answer.at("method") == method);
    bool hybrid = std::string(method) == "hybrid";
    CHECK((answer.at("total_fpr").get<double>() < 5e-3) == hybrid);
    for (const json& attribute : answer.at("attributes")) {
      CHECK(attribute.contains("d"));
      CHECK(attribute.contains("s"));
    }
  }
  json hybrid = design_json(with(table1, {"--bits", "512", "--method", "hybrid"}));
  CHECK(hybrid.at("total_fpr").get<double>() == doctest::Approx(1.212e-3).epsilon(1e-3));
}

TEST_CASE("k may be one number or a range, weights give attributes a k of their own") {
  CHECK(design_json(with(table1, {"--bits", "512", "--k", "11"})).at("k") == 11);
  CHECK(design_json(with(table1, {"--bits", "512", "--k", "16..20"})).at("k") == 16);
  json weighted =
      design_json({"--bits", "512", "--attr", "a:0..9999:100:10", "--attr", "b:0..9999:100:0.1"});
  CHECK(weighted.at("own_k") == true);
  CHECK(weighted.at("attributes").at(0).at("k") > weighted.at("attributes").at(1).at("k"));
}

TEST_CASE("points asked by windows are grouped, and keep all k positions fresh") {
  json answer = design_json(
      {"--bits", "128", "--attr", "income:0..5000:1", "--query", "income:500", "--text", "9"});
  const json& income = answer.at("attributes").at(0);
  CHECK(income.at("query") == 500);
  CHECK(income.at("d") > 1);
  CHECK(income.at("s") == income.at("k"));
}

TEST_CASE("people get tables with the rivals beside the design, and nothing on stderr") {
  Ran ran = design(with(table1, {"--bits", "512"}));
  CHECK(ran.exit == 0);
  CHECK(ran.err.empty());
  for (const char* part : {"512 bits, k = 15", "d=65 s=1", "5.496e-03", "hybrid of GO and dyadic",
                           "dyadic prefixes", "explicit end points", "plain Bloom filter"}) {
    CAPTURE(part);
    CHECK(ran.out.find(part) != std::string::npos);
  }
}

TEST_CASE("bad input is refused in one sentence that names the flag") {
  Words one{"--attr", "age:1..120:10"};
  check_refused(with(one, {"--bits", "7"}),
                "--bits must be a whole number from 8 to 1048576, got '7'");
  check_refused(with(one, {"--bits", "1048577"}),
                "--bits must be a whole number from 8 to 1048576, got '1048577'");
  check_refused(with(one, {"--bits", "99999999999999999999"}),
                "--bits must be a whole number from 8 to 1048576, got '99999999999999999999'");
  check_refused(with(one, {"--bits", "512", "--k", "0"}),
                "--k must be a whole number from 1 to 64, got '0'");
  check_refused(with(one, {"--bits", "512", "--k", "65"}),
                "--k must be a whole number from 1 to 64, got '65'");
  check_refused(with(one, {"--bits", "512", "--k", "9..8"}), "--k is empty: 9 is above 8");
  check_refused({"--bits", "512", "--attr", "age:120..1:10"},
                "--attr age:120..1:10: the scope is empty: 120 is above 1");
  check_refused({"--bits", "512", "--attr", "age:1..120:121"},
                "--attr age:1..120:121: the width must be a whole number from 1 to 120, got '121'");
  check_refused({"--bits", "512", "--attr", "age:1..120:0"},
                "--attr age:1..120:0: the width must be a whole number from 1 to 120, got '0'");
  check_refused({"--bits", "512", "--attr", "x:0..9223372036854775807:10"},
                "--attr x:0..9223372036854775807:10: the scope must hold at most 2^53 values");
  check_refused(
      {"--bits", "512", "--attr", "x:0..9223372036854775808:10"},
      "--attr x:0..9223372036854775808:10: the scope must be a whole number of 64 bits, got "
      "'9223372036854775808'");
  check_refused({"--bits", "512", "--attr", "age:1..120:10:nan"},
                "--attr age:1..120:10:nan: the weight must be a number of 0 or more, got 'nan'");
  check_refused({"--bits", "512", "--attr", "age:1..120:10:-1"},
                "--attr age:1..120:10:-1: the weight must be a number of 0 or more, got '-1'");
  check_refused({"--bits", "512", "--attr", "age"},
                "--attr age: must be written NAME:LO..HI:WIDTH[:WEIGHT]");
  check_refused({"--bits", "512", "--text", "5:inf"},
                "--text: the weight must be a number of 0 or more, got 'inf'");
  check_refused({"--bits", "512", "--text", "-1"},
                "--text must be a whole number from 0 to 4096, got '-1'");
  check_refused(with(one, {"--attr", "age:1..9:1", "--bits", "512"}),
                "--attr age:1..9:1: the name 'age' is used twice");
  check_refused(with(one, {"--bits", "512", "--query", "agee:5"}),
                "--query agee:5: no --attr is named 'agee'");
  check_refused(with(one, {"--bits", "512", "--query", "age:121"}),
                "--query age:121: the width must be a whole number from 1 to 120, got '121'");
  check_refused(with(one, {"--bits", "512", "--method", "worst"}),
                "--method must be best, two-phase, thesis or hybrid, got 'worst'");
  check_refused({"--bits", "512", "--attr", "age:1..120:10:0", "--text", "2:0"},
                "--attr, --text: all weights are 0, so no design is better than another");
  check_refused({"--bits", "512"}, "nothing to design for: give --attr or --text");
}

TEST_CASE("a missing or unknown flag is a usage error in JSON too") {
  Ran missing = run_beckon({"filter", "design", "--text", "5", "--json"});
  CHECK(missing.exit == 2);
  CHECK(json::parse(missing.out).at("error").at("message").get<std::string>().find("--bits") !=
        std::string::npos);
  CHECK(run_beckon({"filter", "design", "--bits", "512", "--colour"}).exit == 2);
  CHECK(run_beckon({"filter"}).exit == 2);
  CHECK(run_beckon({"filter", "design", "--help"}).exit == 0);
}

TEST_SUITE_END();
