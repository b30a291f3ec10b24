#include "config/settings.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <fstream>

using namespace beckon::config;

namespace {

/// A folder with a user's and a system's config file, removed at the end.
struct Files {
  Files(const std::string& user, const std::string& system) {
    char pattern[] = "/tmp/beckon-settings-XXXXXX";
    root = mkdtemp(pattern);
    paths.config_file = root / "config.toml";
    paths.state_dir = root;
    std::ofstream(paths.config_file) << user;
    std::ofstream(root / "system.toml") << system;
  }
  ~Files() { std::filesystem::remove_all(root); }
  beckon::Result<Settings> load(const Environment& environment,
                                const Settings::Flags& flags) const {
    return Settings::load(paths, environment, flags, root / "system.toml");
  }
  Path root{};
  Paths paths{};
};

std::optional<std::string> nothing(const std::string&) { return std::nullopt; }

}  // namespace

TEST_SUITE("config/settings") {
  TEST_CASE(
      "flags beat the environment, which beats the user's file, the system's file, defaults") {
    Files files("listen = \"1.1.1.1:1\"\n[ring]\nstabilize = \"1s\"\n",
                "listen = \"2.2.2.2:2\"\n[ring]\nprobe = \"3s\"\nstabilize = \"9s\"\n");
    auto env = [](const std::string& name) -> std::optional<std::string> {
      return name == "BECKON_LOG_LEVEL" ? std::optional<std::string>("debug") : std::nullopt;
    };
    auto settings = files.load(env, {{"join", "a:1, b:2"}});
    REQUIRE(settings);
    CHECK(settings->text("listen") == "1.1.1.1:1");
    CHECK(settings->get("listen").origin == files.paths.config_file.string());
    CHECK(settings->duration("ring.stabilize") == std::chrono::seconds(1));
    CHECK(settings->duration("ring.probe") == std::chrono::seconds(3));
    CHECK(settings->get("log.level").origin == "BECKON_LOG_LEVEL");
    CHECK(settings->list("join") == std::vector<std::string>{"a:1", "b:2"});
    CHECK(settings->get("join").origin == "--join");
    CHECK(settings->get("store.sync").origin == "default");
  }

  TEST_CASE("only an address that others can dial is advertised") {
    Files files("", "");
    for (const char* address : {"192.0.2.2:0", "0.0.0.0:4290", "[::]:4290", "[0::0]:4290"}) {
      CAPTURE(address);
      auto settings = files.load(nothing, {{"advertise", address}});
      REQUIRE_FALSE(settings);
      CHECK(settings.error().text.find("--advertise: others cannot dial") == 0);
    }
    CHECK(files.load(nothing, {{"advertise", "192.0.2.2:4290"}, {"listen", "0.0.0.0:0"}}));
  }

  TEST_CASE("a start without flags listens where the last one with flags was told to") {
    Files files("", "");
    REQUIRE(remember_start(files.paths, {{"listen", "127.0.0.1:7"}, {"advertise", "a.example:7"}}));
    auto again = files.load(nothing, {});
    REQUIRE(again);
    CHECK(again->text("listen") == "127.0.0.1:7");
    CHECK(again->text("advertise") == "a.example:7");
    CHECK(again->get("listen").origin == "the last start that said it");
    CHECK(files.load(nothing, {{"listen", "1.1.1.1:1"}})->text("advertise") == "");
    REQUIRE(remember_start(files.paths, {{"log.level", "debug"}}));  // nothing about addresses
    CHECK(files.load(nothing, {})->text("advertise") == "a.example:7");
    REQUIRE(remember_start(files.paths, {{"listen", "127.0.0.1:8"}}));
    CHECK(files.load(nothing, {})->text("listen") == "127.0.0.1:8");
    CHECK(files.load(nothing, {})->text("advertise") == "");
    Files configured("listen = \"1.1.1.1:1\"\n", "");
    REQUIRE(remember_start(configured.paths, {{"listen", "127.0.0.1:7"}}));
    CHECK(configured.load(nothing, {})->text("listen") == "1.1.1.1:1");
  }

  TEST_CASE("a list in a file is a list") {
    Files files("join = [\"a:1\", \"b:2\"]\n", "");
    CHECK(files.load(nothing, {})->list("join") == std::vector<std::string>{"a:1", "b:2"});
  }

  TEST_CASE("an unknown name and a bad value are refused by file and name") {
    CHECK(
        Files("lisen = \"1:1\"\n", "").load(nothing, {}).error().text.find("no setting 'lisen'") !=
        std::string::npos);
    CHECK(Files("listen = \"nowhere\"\n", "")
              .load(nothing, {})
              .error()
              .text.find("listen: an address") != std::string::npos);
    CHECK(Files("listen = \n", "").load(nothing, {}).error().text.find("line 1") !=
          std::string::npos);
    CHECK(Files("", "").load(nothing, {{"ring.stabilize", "0s"}}).error().text ==
          "--ring.stabilize: wanted 10ms or more");
  }

  TEST_CASE("a size is a whole number of kibi-, mebi- or gibibytes, from 1M to 64G") {
    const Key& key = *find_key("store.size");
    CHECK(*check_value(key, "2048M") == "2G");
    CHECK(*check_value(key, "1536K") == "1536K");
    CHECK(*check_value(key, "64G") == "64G");
    for (const char* bad : {"", "M", "512", "512MB", "-1G", "1.5G", "1023K", "65G", "512 M", "5m",
                            "18446744073709551617M", "99999999999G"}) {
      CAPTURE(bad);
      auto value = check_value(key, bad);
      REQUIRE(!value);
      CHECK(value.error().text.find("512M or 2G") != std::string::npos);
    }
    auto settings = Files("[store]\nsize = \"3M\"\n", "").load(nothing, {});
    REQUIRE(settings);
    CHECK(settings->size("store.size") == 3u << 20);
  }

  TEST_CASE("every default is a value its own key accepts") {
    for (const Key& key : keys()) {
      CAPTURE(key.name);
      auto value = check_value(key, key.standard);
      REQUIRE(value);
      CHECK(*value == key.standard);
    }
  }
}
