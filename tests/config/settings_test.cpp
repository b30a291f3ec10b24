// SPDX-License-Identifier: MIT
#include "config/settings.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
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
      std::string why = value.error().text;
      CHECK((why.find("512M or 2G") != std::string::npos || why == "out of range, wanted 1M..64G"));
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

  TEST_CASE("items of a list may have spaces around them and empty ones do not count") {
    Files files("", "");
    auto settings = files.load(nothing, {{"join", "  a:1 ,b:2   ,, ,  c:3,"}});
    REQUIRE(settings);
    CHECK(settings->list("join") == std::vector<std::string>{"a:1", "b:2", "c:3"});
    CHECK(settings->text("join") == "a:1,b:2,c:3");
    CHECK(files.load(nothing, {{"join", "a:1,b"}}).error().text.find("--join: an address") == 0);
  }

  TEST_CASE("a value is accepted in the spelling of its kind and refused in any other") {
    struct Case {
      const char* key;
      const char* value;
      const char* wanted;  // null: refused
    };
    for (const Case& c : {Case{"log.level", "debug", "debug"},
                          Case{"log.level", "info", "info"},
                          Case{"log.level", "warning", "warning"},
                          Case{"log.level", "error", "error"},
                          Case{"log.level", "", nullptr},
                          Case{"log.level", "loud", nullptr},
                          Case{"log.level", "Info", nullptr},
                          Case{"ring.probe", "10ms", "10ms"},
                          Case{"ring.probe", "9999us", nullptr},
                          Case{"ring.probe", "60s", "1m"},
                          Case{"ring.probe", "", nullptr},
                          Case{"listen", "", ""},
                          Case{"listen", "1.2.3.4:0", "1.2.3.4:0"},
                          Case{"listen", "1.2.3.4", nullptr},
                          Case{"advertise", "", ""},
                          Case{"advertise", "a.b:1", "a.b:1"},
                          Case{"advertise", "a.b:0", nullptr},
                          Case{"store.size", "1M", "1M"},
                          Case{"store.size", "1024K", "1M"},
                          Case{"store.size", "65537M", nullptr},
                          Case{"store.size", "67108864K", "64G"},
                          Case{"store.size", "67108865K", nullptr},
                          Case{"metered", "yes", "yes"},
                          Case{"metered", "no", "no"},
                          Case{"metered", "true", nullptr},
                          Case{"limits.connections", "16", "16"},
                          Case{"limits.connections", "0032768", "32768"},
                          Case{"limits.connections", "15", nullptr},
                          Case{"limits.connections", "32769", nullptr},
                          Case{"limits.connections", "-1", nullptr},
                          Case{"limits.connections", "1e3", nullptr},
                          Case{"limits.connections", "", nullptr},
                          Case{"limits.upload", "off", "off"},
                          Case{"limits.upload", "16K", "16K"},
                          Case{"limits.upload", "15K", nullptr},
                          Case{"limits.upload", "0K", nullptr},
                          Case{"limits.upload", "1024M", "1G"},
                          Case{"limits.upload", "1025M", nullptr},
                          Case{"limits.upload", "no", nullptr}}) {
      CAPTURE(c.key);
      CAPTURE(c.value);
      auto value = check_value(*find_key(c.key), c.value);
      REQUIRE(value.has_value() == (c.wanted != nullptr));
      if (value) CHECK(*value == c.wanted);
    }
  }

  TEST_CASE("the handbook lists every setting with its default and range") {
    std::ifstream page(BECKON_OPERATIONS);
    REQUIRE(page);
    std::vector<std::string> rows;
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with("| `") && line.find("` | ") != std::string::npos) rows.push_back(line);
    }
    auto cell = [](std::string_view text) {
      return text.empty() ? std::string(" | ") : " | `" + std::string(text) + "` | ";
    };
    for (const Key& key : keys()) {
      std::string row = "| `" + std::string(key.name) + "`" + cell(key.standard) +
                        (key.standard.empty() ? "| " : "") + range_text(key) + " | ";
      CAPTURE(row);
      CHECK(std::ranges::count_if(
                rows, [&](const std::string& line) { return line.starts_with(row); }) == 1);
    }
  }

  TEST_CASE("numbers, speeds and flags come out as they were set") {
    auto settings =
        Files("metered = \"yes\"\n[limits]\nconnections = \"1024\"\nupload = \"2M\"\n", "")
            .load(nothing, {});
    REQUIRE(settings);
    CHECK(settings->flag("metered"));
    CHECK(settings->count("limits.connections") == 1024);
    CHECK(settings->count("limits.connections_per_address") == 128);
    CHECK(settings->speed("limits.upload") == 2u << 20);
    auto standard = Files("", "").load(nothing, {});
    CHECK_FALSE(standard->flag("metered"));
    CHECK(standard->speed("limits.upload") == 0);
  }

  TEST_CASE("a value has 4096 bytes at most") {
    const Key& key = *find_key("join");
    CHECK(check_value(key, "a:1" + std::string(4093, ' ')));
    CHECK_FALSE(check_value(key, "a:1" + std::string(4094, ' ')));
  }

  TEST_CASE("every setting has a name of its own in the environment that is read and checked") {
    Files files("", "");
    for (const Key& key : keys()) {
      CAPTURE(key.name);
      std::string name = env_name(key);
      for (char c : name) CHECK(((c >= 'A' && c <= 'Z') || c == '_'));
      auto only = [&](const char* value) {
        return [&name, value](const std::string& asked) {
          return asked == name ? std::optional<std::string>(value) : std::nullopt;
        };
      };
      auto refused = files.load(only("no such value"), {});
      REQUIRE_FALSE(refused);
      CHECK(refused.error().text.find(name + ": ") == 0);
      CHECK(find_key(key.name) == &key);
    }
    CHECK(env_name(*find_key("ring.stabilize")) == "BECKON_RING_STABILIZE");
    CHECK(find_key("ring") == nullptr);
  }
}
