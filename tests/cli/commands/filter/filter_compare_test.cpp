// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_beckon.h"

using namespace beckon::tests;
using nlohmann::json;

namespace {

/// A directory of its own that goes away with it.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "beckon-cli-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Ran compare(std::vector<std::string> more) {
  std::vector<std::string> words{"filter", "compare", "--bits", "512"};
  words.insert(words.end(), more.begin(), more.end());
  return run_beckon(words);
}

}  // namespace

TEST_SUITE_BEGIN("cli/filter compare");

TEST_CASE("compare gives one row per width with k, d, s, rate and bits of each scheme") {
  Ran ran = compare({"--scope", "10000", "--widths", "100..1000:450", "--json"});
  REQUIRE(ran.exit == 0);
  json answer = json::parse(ran.out);
  REQUIRE(answer.at("rows").size() == 3);
  CHECK(answer.at("rows").at(2).at("width") == 1000);
  const json& go = answer.at("rows").at(0).at("go");
  CHECK(go.at("k") == 20);
  CHECK(go.at("d") == 1);
  CHECK(go.at("s") == 3);
  CHECK(go.at("fpr").get<double>() == doctest::Approx(2.22287e-5).epsilon(1e-5).scale(0));
  for (const json& row : answer.at("rows")) {
    for (const char* scheme : {"traditional", "grouping", "overlapping", "go"}) {
      CHECK(row.at(scheme).at("set_bits").get<double>() <= 512);
      CHECK(row.at("go").at("fpr") <= row.at(scheme).at("fpr"));
    }
  }
}

TEST_CASE("a fixed k is kept by all schemes") {
  Ran ran = compare({"--scope", "10000", "--widths", "200", "--k", "10", "--json"});
  REQUIRE(ran.exit == 0);
  json row = json::parse(ran.out).at("rows").at(0);
  for (const char* scheme : {"traditional", "grouping", "overlapping", "go"})
    CHECK(row.at(scheme).at("k") == 10);
}

TEST_CASE("the plot has axes, labels, a legend and one curve per scheme") {
  Folder folder;
  for (const char* what : {"rate", "bits", "k", "s", "d"}) {
    std::string path = folder.file("plot.svg");
    Ran ran = compare({"--scope", "10000", "--widths", "5..1200:5", "--svg", path, "--plot", what});
    CHECK(ran.exit == 0);
    CHECK(ran.out.empty());
    std::string svg = read(path);
    CHECK(svg.rfind("<svg xmlns", 0) == 0);
    for (const char* part : {"traditional", "grouping", "overlapping", "grouping-overlapping",
                             "width of the published range", "One range in 512 bits", "</svg>"}) {
      CAPTURE(part);
      CHECK(svg.find(part) != std::string::npos);
    }
    CHECK(svg.find("nan") == std::string::npos);
  }
}

TEST_CASE("bad input is refused in one sentence that names the flag") {
  auto refused = [](std::vector<std::string> words, const std::string& sentence) {
    Ran ran = compare(words);
    CHECK(ran.exit == 2);
    CHECK(ran.err == "beckon: " + sentence + "\n");
    words.push_back("--json");
    CHECK(json::parse(compare(words).out).at("error").at("message") == sentence);
  };
  refused({"--scope", "0", "--widths", "1..2"},
          "--scope must be a whole number from 1 to 9007199254740992, got '0'");
  refused({"--scope", "100", "--widths", "1..101"},
          "--widths must be a whole number from 1 to 100, got '101'");
  refused({"--scope", "100", "--widths", "9..2"}, "--widths is empty: 9 is above 2");
  refused({"--scope", "100", "--widths", "1..9:0"},
          "--widths: the step must be a whole number from 1 to 9007199254740992, got '0'");
  refused({"--scope", "1000000", "--widths", "1..1000000"},
          "--widths: more than 10000 rows; take a larger step, as in 1..1000000:100");
  refused({"--scope", "100", "--widths", "1..9", "--k", "65"},
          "--k must be a whole number from 1 to 64, got '65'");
  refused({"--scope", "100", "--widths", "1..9", "--plot", "pie"},
          "--plot must be rate, bits, k, s or d, got 'pie'");
}

TEST_CASE("a plot that cannot be written says where and why") {
  Ran ran = compare({"--scope", "100", "--widths", "1..9", "--svg", "/nowhere/plot.svg"});
  CHECK(ran.exit == 1);
  CHECK(ran.err == "beckon: --svg: cannot write /nowhere/plot.svg: No such file or directory\n");
}

TEST_CASE("draw pictures groups and positions") {
  Folder folder;
  std::string path = folder.file("draw.svg");
  Ran ran = run_beckon(
      {"filter", "draw", "--k", "5", "--d", "3", "--s", "2", "--range", "4..9", "--svg", path});
  CHECK(ran.exit == 0);
  std::string svg = read(path);
  CHECK(svg.find("all 5 set: yes") != std::string::npos);
  CHECK(svg.find("3 of 5 set by neighbours, 2 left to chance") != std::string::npos);
  CHECK(run_beckon(
            {"filter", "draw", "--k", "5", "--d", "3", "--s", "6", "--range", "4", "--svg", path})
            .exit == 2);
}

TEST_SUITE_END();
