// SPDX-License-Identifier: MIT
#include "config/toml_file.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <fstream>
#include <map>

using namespace beckon::config;

TEST_SUITE("config/toml_file") {
  TEST_CASE("setting a value leaves comments and other values alone") {
    std::string text = "# mine\nlisten = \"a:1\"  # why\n\n[ring]\nprobe = \"3s\"\n";
    CHECK(edit_toml(text, "listen", "\"b:2\"") ==
          "# mine\nlisten = \"b:2\"\n\n[ring]\nprobe = \"3s\"\n");
    CHECK(edit_toml(text, "ring.stabilize", "\"1s\"") == text + "stabilize = \"1s\"\n");
    CHECK(edit_toml(text, "log.level", "\"debug\"") == text + "\n[log]\nlevel = \"debug\"\n");
    CHECK(edit_toml(text, "join", "[]") ==
          "# mine\nlisten = \"a:1\"  # why\njoin = []\n\n[ring]\nprobe = \"3s\"\n");
    CHECK(edit_toml(text, "ring.probe", std::nullopt) ==
          "# mine\nlisten = \"a:1\"  # why\n\n[ring]\n");
    CHECK(edit_toml("", "ring.probe", "\"1s\"") == "[ring]\nprobe = \"1s\"\n");
  }

  TEST_CASE("a value written to a file reads back, and a list stays a list") {
    char pattern[] = "/tmp/beckon-toml-XXXXXX";
    Path root = mkdtemp(pattern);
    Path file = root / "deep" / "config.toml";
    REQUIRE(write_toml_value(file, "join", "a:1,b:2", true));
    REQUIRE(write_toml_value(file, "ring.probe", "say \"x\"", false));
    auto values = read_toml(file);
    REQUIRE(values);
    CHECK((*values)["join"] == "a:1,b:2");
    CHECK((*values)["ring.probe"] == "say \"x\"");
    CHECK_FALSE(std::filesystem::exists(root / "deep" / "config.toml.new"));
    std::filesystem::remove_all(root);
  }

  TEST_CASE("a file that cannot be edited safely is left alone") {
    char pattern[] = "/tmp/beckon-toml-XXXXXX";
    Path root = mkdtemp(pattern);
    Path file = root / "config.toml";
    std::ofstream(file) << "ring = {probe = \"1s\"}\n";
    CHECK_FALSE(write_toml_value(file, "ring.probe", "2s", false));
    CHECK((*read_toml(file))["ring.probe"] == "1s");
    std::filesystem::remove_all(root);
  }

  TEST_CASE("a missing file is empty and a broken one names its line") {
    CHECK(read_toml("/nonexistent/config.toml")->empty());
    CHECK(parse_toml("a = 1\nb = = 2\n", "x.toml").error().text.find("x.toml, line 2") == 0);
  }

  TEST_CASE("a value that a full disk does not take is refused and the file stays as it was") {
    char pattern[] = "/tmp/beckon-toml-XXXXXX";
    Path root = mkdtemp(pattern);
    Path file = root / "config.toml";
    REQUIRE(write_toml_value(file, "ring.probe", "1s", false));
    std::filesystem::create_symlink("/dev/full", root / "config.toml.new");
    CHECK_FALSE(write_toml_value(file, "ring.probe", "2s", false));
    CHECK((*read_toml(file))["ring.probe"] == "1s");
    std::filesystem::remove_all(root);
  }

  TEST_CASE("a file is read up to 1 MiB") {
    char pattern[] = "/tmp/beckon-toml-XXXXXX";
    Path root = mkdtemp(pattern);
    Path file = root / "config.toml";
    std::string start = "a = \"b\"\n#";
    std::ofstream(file) << start << std::string((1 << 20) - start.size(), 'x');
    CHECK((*read_toml(file))["a"] == "b");
    std::ofstream(file, std::ios::app) << 'x';
    CHECK(read_toml(file).error().text.find("is larger than 1 MiB") != std::string::npos);
    std::filesystem::remove_all(root);
  }

  TEST_CASE("values are texts, whole numbers or lists of texts, in tables up to five deep") {
    auto values = parse_toml("a = 7\nb = [\"x\", \"y\"]\nc = []\nt.u.v.w.x = \"deep\"\n", "x.toml");
    REQUIRE(values);
    using Values = std::map<std::string, std::string>;
    CHECK(*values == Values{{"a", "7"}, {"b", "x,y"}, {"c", ""}, {"t.u.v.w.x", "deep"}});
    for (const char* bad :
         {"a = 1979-05-27", "a = [1]", "a = [[\"x\"]]", "s.t.u.v.w.x = \"deeper\""}) {
      CAPTURE(bad);
      CHECK_FALSE(parse_toml(bad, "x.toml"));
    }
  }

  TEST_CASE("only the line that assigns a name in its own table is changed") {
    std::string text =
        "probe = \"0s\"\n[ring]\nprobes = \"1s\"\n\t probe\t= \"2s\"\n[rings]\nprobe = \"3s\"\n";
    CHECK(edit_toml(text, "ring.probe", "\"9s\"") ==
          "probe = \"0s\"\n[ring]\nprobes = \"1s\"\nprobe = \"9s\"\n[rings]\nprobe = \"3s\"\n");
    CHECK(edit_toml(text, "probe", std::nullopt) == text.substr(text.find('[')));
    CHECK(edit_toml("# none\n\n[ring]\n\n# end\n", "ring.probe", "1") ==
          "# none\n\n[ring]\n\n# end\nprobe = 1\n");
    CHECK(edit_toml("\n[ring]\n\n[log]\n", "ring.probe", "1") == "\n[ring]\nprobe = 1\n\n[log]\n");
    CHECK(edit_toml("[log]\n", "ring.probe", std::nullopt) == "[log]\n");
  }
}
