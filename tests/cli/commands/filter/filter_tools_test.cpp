// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/commands/filter/filter_inspect.h"
#include "filters/go/go_codec.h"
#include "tests/cli/run_beckon.h"

using namespace beckon;
using namespace beckon::tests;
using nlohmann::json;

TEST_SUITE_BEGIN("cli/filter_tools");

namespace {

filters::GoFilter sample_filter() {
  filters::GoAttribute age{.name = "age",
                           .seed = filters::AttributeSeed{7},
                           .scope = {1, 120},
                           .range = {.d = 2, .s = 3}};
  auto layout = filters::GoLayout::create({.bits = 1536, .k = 12, .attributes = {age}});
  REQUIRE(layout);
  auto shared = std::make_shared<const filters::GoLayout>(*layout);
  filters::GoFilter filter(shared);
  filter.insert_text({1, 2});
  REQUIRE(filter.insert_range(shared->attributes()[0], 20, 30));
  return filter.fold(96);
}

std::vector<std::string> simulate(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::pair<std::string, std::string>> flags{
      {"--bits", "512"}, {"--k", "8"}, {"--scope", "10000"}, {"--width", "100"},
      {"--d", "1"},      {"--s", "1"}, {"--trials", "300"}};
  std::vector<std::string> out{"filter", "simulate"};
  for (const auto& [name, value] : changes) {
    std::erase_if(flags, [&name = name](const auto& flag) { return flag.first == name; });
    flags.emplace_back(name, value);
  }
  for (const auto& [name, value] : flags) out.insert(out.end(), {name, value});
  return out;
}

}  // namespace

TEST_CASE("global flags are taken before and behind 'filter', and once in both places") {
  std::vector<std::string> tool{"design", "--bits", "512", "--text", "3"};
  auto with = [&](std::vector<std::string> before, const std::vector<std::string>& behind) {
    before.emplace_back("filter");
    before.insert(before.end(), tool.begin(), tool.end());
    before.insert(before.end(), behind.begin(), behind.end());
    return run_beckon(before, {"BECKON_HOME=/tmp/h"});
  };
  CHECK(with({}, {"--color", "always"}).exit == 0);
  CHECK(with({"--color", "never"}, {"--color", "always"}).exit == 0);
  CHECK(with({"--home", "/tmp/a"}, {"--home=/tmp/b"}).exit == 0);
  CHECK(with({"--json"}, {"--json"}).out.front() == '{');
  CHECK(with({}, {"--json"}).out == with({"--json"}, {}).out);
}

TEST_CASE("filter without a command, or with an unknown one, is told what there is") {
  Ran none = run_beckon({"--json", "filter"});
  CHECK(none.exit == 2);
  CHECK(none.out.find("'beckon filter' needs a command") != std::string::npos);
  CHECK(none.err.find("Choose: design") != std::string::npos);
  CHECK(run_beckon({"filter", "nosuch"}).err.find("Choose: design") != std::string::npos);
  CHECK(run_beckon({"filter", "--help"}).out.find("exchange") != std::string::npos);
  CHECK(run_beckon({"--help", "filter"}).out.find("beckon filter --help") != std::string::npos);
}

TEST_CASE(
    "simulate --json gives model and measurement close to each other, and no false negative") {
  auto arguments = simulate({});
  arguments.push_back("--json");
  Ran ran = run_beckon(arguments);
  REQUIRE(ran.exit == 0);
  CHECK(ran.err.empty());
  json out = json::parse(ran.out);
  CHECK(out["model"].get<double>() == doctest::Approx(4.8552e-5).epsilon(1e-4));
  CHECK(out["trials"] == 300);
  CHECK(out["false_negatives"] == 0);
  CHECK(out["stderr"].get<double>() > 0);
  CHECK(out["measured"].get<double>() == doctest::Approx(4.9e-5).epsilon(0.5));
  CHECK(run_beckon(arguments).out == ran.out);  // same seed
  CHECK(run_beckon(simulate({{"--seed", "2"}, {"--json", "true"}})).out != ran.out);
}

TEST_CASE("simulate prints a table for people, and asks for windows too") {
  Ran ran = run_beckon(simulate({}));
  CHECK(ran.exit == 0);
  CHECK(ran.out.find("false positive rate") != std::string::npos);
  CHECK(ran.out.find("300 filters, 0 false negatives.") != std::string::npos);
  CHECK(run_beckon(simulate({{"--any", "50"}})).exit == 0);
  CHECK(run_beckon(simulate({{"--covers", "50"}})).exit == 0);
}

TEST_CASE("simulate refuses a wrong flag by a sentence that names it, with exit code 2") {
  struct Wrong {
    std::string flag, value, sentence;
  };
  for (const Wrong& wrong : {Wrong{"--bits", "7", "--bits must be 8..1048576, got 7"},
                             {"--bits", "1048577", "--bits must be 8..1048576, got 1048577"},
                             {"--k", "0", "--k must be 1..64, got 0"},
                             {"--k", "65", "--k must be 1..64, got 65"},
                             {"--scope", "-5", "--scope must be 2..4611686018427387904, got -5"},
                             {"--width", "10000", "--width must be 1..9999, got 10000"},
                             {"--d", "0", "--d must be 1..10000, got 0"},
                             {"--s", "9", "--s must be 1..8, got 9"},
                             {"--covers", "101", "--covers must be 1..100, got 101"},
                             {"--covers", "0", "--covers must be 1..100, got 0"},
                             {"--any", "5000", "--any must be 1..4950, got 5000"},
                             {"--any", "0", "--any must be 1..4950, got 0"},
                             {"--trials", "0", "--trials must be 1..100000000, got 0"}}) {
    CAPTURE(wrong.flag);
    Ran ran = run_beckon(simulate({{wrong.flag, wrong.value}}));
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err == "beckon: " + wrong.sentence + "\n");
  }
  Ran minus = run_beckon(simulate({{"--seed", "-1"}}));
  CHECK(minus.exit == 2);
  CHECK(minus.err.find("--seed") != std::string::npos);
  CHECK(minus.err.find("got -1") != std::string::npos);
  Ran huge = run_beckon(simulate({{"--scope", "99999999999999999999"}}));
  CHECK(huge.exit == 2);
  CHECK(huge.err.find("--scope") != std::string::npos);
  CHECK(run_beckon({"filter", "simulate", "--bits", "512"}).exit == 2);
}

TEST_CASE("simulate that sees no mistake says how small the rate must then be") {
  Ran ran = run_beckon(simulate({{"--bits", "1048576"}, {"--trials", "10"}}));
  REQUIRE(ran.exit == 0);
  CHECK(ran.out.find("none of ") != std::string::npos);
  CHECK(ran.out.find(" at 95 %") != std::string::npos);
  CHECK(ran.out.find("10 filters, 0 false negatives.") != std::string::npos);
}

TEST_CASE("inspect shows length, fill, bits and every attribute of an encoded filter") {
  Bytes bytes = filters::encode(sample_filter());
  TemporaryFile file(std::string(as_text(bytes)));
  Ran ran = run_beckon({"filter", "inspect", file.path()});
  CHECK(ran.exit == 0);
  CHECK(ran.out == cli::inspect_text(sample_filter()));
  CHECK(ran.out.starts_with("96 bits, folded from 1536, "));
  CHECK(ran.out.find("age") != std::string::npos);

  json out = json::parse(run_beckon({"filter", "inspect", file.path(), "--json"}).out);
  CHECK(out["bits"] == 96);
  CHECK(out["set_bits"] == sample_filter().bits().count());
  CHECK(out["attributes"][0]["name"] == "age");
  CHECK(out["attributes"][0]["positions_per_further_value"] == 1.5);
}

TEST_CASE("inspect --profile shows the record that publishing would make") {
  TemporaryFile file(R"({"name":"Al","age":{"min":20,"max":30},"income":5000,"phone":"1"})");
  json out = json::parse(run_beckon({"filter", "inspect", "--profile", file.path(), "--json"}).out);
  CHECK(out["total_fpr"] <= 5.5e-3);
  CHECK(out["public"] == json({"name", "age"}));
  CHECK(out["match"] == json({"income"}));
  CHECK(out["private"] == json({"phone"}));
  REQUIRE(out["attributes"].size() == 3);
  CHECK(out["attributes"][0]["name"] == "name");
  CHECK(out["attributes"][0]["kind"] == "text");
  CHECK(out["attributes"][0]["positions"] == out["k"]);
  CHECK(out["attributes"][1]["name"] == "age");
  CHECK(out["attributes"][1]["positions"] >= out["k"]);
  CHECK(out["attributes"][1].contains("d"));
  CHECK(run_beckon({"filter", "inspect", "--profile", file.path()}).out.find("age") !=
        std::string::npos);
  TemporaryFile bad(R"({"age":200})");
  Ran ran = run_beckon({"filter", "inspect", "--profile", bad.path()});
  CHECK(ran.exit == 2);
  CHECK(ran.err.find("age lies in 1..120") != std::string::npos);
}

TEST_CASE("inspect refuses what is no filter, with exit code 2") {
  TemporaryFile file("hello");
  Ran ran = run_beckon({"filter", "inspect", file.path()});
  CHECK(ran.exit == 2);
  CHECK(ran.err.find("it does not begin with BKGO") != std::string::npos);
  CHECK(run_beckon({"filter", "inspect", file.path() + "-missing"}).exit == 2);
  CHECK(run_beckon({"filter", "inspect"}).exit == 2);
}

TEST_CASE("bits are drawn as Braille dots in reading order") {
  filters::BitArray bits(16);
  bits.set(0);
  bits.set(1);
  bits.set(15);
  CHECK(cli::draw_bits(bits) == "\u2809\u2880\n");
  CHECK(cli::draw_bits(bits, 8) == "\u2809\n\u2880\n");
}

TEST_SUITE_END();
