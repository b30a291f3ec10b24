// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/cli/run_beckon.h"

using beckon::tests::check_refused;
using beckon::tests::Ran;
using beckon::tests::run_beckon;
using nlohmann::json;

TEST_SUITE_BEGIN("cli/filter_tree");

TEST_CASE(
    "filter tree shows designs beside their rivals and takes the cheapest that keeps the rate") {
  std::vector<std::string> words{"--json", "filter", "tree", "--items", "3000", "--depth", "2"};
  Ran ran = run_beckon(words);
  REQUIRE(ran.exit == 0);
  CHECK(ran.err.empty());
  json got = json::parse(ran.out);
  CHECK(got["designs"].size() > 10);
  const json& chosen = got["chosen"];
  CHECK(chosen["rate"] <= 0.01);
  CHECK(chosen["tree_bytes"] < chosen["plain_bytes"]);
  CHECK(chosen["tree_bytes"] > chosen["floor_bytes"]);
  CHECK(chosen["encoded_bytes"].get<double>() ==
        doctest::Approx(chosen["tree_bytes"].get<double>()).epsilon(0.06));
  for (const json& design : got["designs"]) {
    if (design["rate"] <= 0.01) CHECK(design["tree_bytes"] >= chosen["tree_bytes"]);
  }
  CHECK(run_beckon(words).out == ran.out);
}

TEST_CASE("filter exchange finds the common elements every way, the tree for the fewest bytes") {
  Ran ran = run_beckon(
      {"--json", "filter", "exchange", "--a", "10000", "--b", "10000", "--common", "100"});
  REQUIRE(ran.exit == 0);
  json got = json::parse(ran.out);
  REQUIRE(got["ways"].size() == 5);
  for (const json& way : got["ways"]) {
    CHECK(way["found"] == 100);
    CHECK(way["bytes"] >= got["ways"][0]["bytes"]);
  }
  CHECK(got["ways"][0]["rounds"] <= 6);
  CHECK(got["ways"][0]["bytes"].get<double>() <= 0.6 * got["ways"][1]["bytes"].get<double>());
  Ran text = run_beckon({"filter", "exchange", "--a", "50", "--b", "60", "--common", "5"});
  CHECK(text.exit == 0);
  CHECK(text.out.find("tree, level by level") != std::string::npos);
}

TEST_CASE("both draw plots") {
  std::string path = "/tmp/beckon-tree-test-" + std::to_string(::getpid()) + ".svg";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"filter", "tree", "--items", "100", "--depth", "2", "--bounded"},
        {"filter", "exchange", "--a", "100", "--b", "100", "--common", "10"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--svg", path});
    CHECK(run_beckon(all).exit == 0);
    std::FILE* file = std::fopen(path.c_str(), "rb");
    REQUIRE(file);
    char head[5] = {};
    CHECK(std::fread(head, 1, 4, file) == 4);
    CHECK(std::string(head) == "<svg");
    std::fclose(file);
    std::remove(path.c_str());
  }
  CHECK(run_beckon({"filter", "exchange", "--a", "1", "--b", "1", "--common", "1", "--svg",
                    "/no/such/folder/x.svg"})
            .exit == 1);
}

TEST_CASE("a plot that cannot be written is refused before the work, and nothing is printed") {
  std::vector<std::vector<std::string>> cases{
      {"filter", "tree", "--items", "1000000", "--depth", "4"},
      {"filter", "exchange", "--a", "500000", "--b", "500000", "--common", "7"}};
  for (std::vector<std::string>& words : cases) {
    for (const char* path : {"/nowhere/x.svg", "/tmp"}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--svg", path});
      Ran ran = run_beckon(all);
      CHECK(ran.exit == 1);
      CHECK(ran.out.empty());
      CHECK(ran.err.find(std::string("--svg: cannot write ") + path) != std::string::npos);
    }
  }
}

TEST_CASE("wrong flags of tree and exchange are one sentence that names the flag, and exit 2") {
  check_refused({
      {{"filter", "tree", "--items", "0"}, "--items"},
      {{"filter", "tree", "--items", "9", "--depth", "9"}, "--depth"},
      {{"filter", "tree", "--items", "9", "--rate", "2"}, "--rate must be"},
      {{"filter", "tree", "--items", "9", "--aim", "high"}, "--aim must be"},
      {{"filter", "exchange", "--a", "x", "--b", "1", "--common", "1"}, "--a"},
      {{"filter", "exchange", "--a", "1", "--b", "-1", "--common", "1"}, "--b"},
      {{"filter", "exchange", "--a", "5", "--b", "6", "--common", "7"}, "--common must be"},
  });
}
