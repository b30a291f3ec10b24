#include "config/toml_file.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <fstream>

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
}
