// SPDX-License-Identifier: MIT
#include "config/paths.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "config/disk.h"

using namespace beckon::config;

namespace {

Environment given(std::map<std::string, std::string> values) {
  return [values](const std::string& name) -> std::optional<std::string> {
    auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace

TEST_SUITE("config/paths") {
  TEST_CASE("a home holds everything, and the flag beats BECKON_HOME") {
    auto paths = find_paths("/tmp/a", given({{"BECKON_HOME", "/tmp/b"}}));
    REQUIRE(paths);
    CHECK(paths->config_file == "/tmp/a/config.toml");
    CHECK(paths->socket() == "/tmp/a/api.sock");
    CHECK(find_paths("", given({{"BECKON_HOME", "/tmp/b"}}))->state_dir == "/tmp/b");
  }

  TEST_CASE("without a home the XDG folders are used, and relative ones are ignored") {
    auto paths = find_paths("", given({{"HOME", "/home/u"},
                                       {"XDG_RUNTIME_DIR", "/run/user/1000"},
                                       {"XDG_STATE_HOME", "x"}}));
    REQUIRE(paths);
    CHECK(paths->config_file == "/home/u/.config/beckon/config.toml");
    CHECK(paths->state_dir == "/home/u/.local/state/beckon");
    CHECK(paths->socket() == "/run/user/1000/beckon/api.sock");
    CHECK(find_paths("", given({{"HOME", "/home/u"}}))->socket() ==
          "/home/u/.local/state/beckon/run/api.sock");
  }

  TEST_CASE("no HOME, or a path no socket can have, is refused with a cure") {
    CHECK(find_paths("", given({})).error().text.find("--home") != std::string::npos);
    CHECK(find_paths("/" + std::string(120, 'x'), given({})).error().text.find("shorter") !=
          std::string::npos);
  }

  TEST_CASE("a socket may have a path of 107 bytes") {
    std::string folder = "/tmp/" + std::string(107 - 5 - std::string("/api.sock").size(), 'x');
    REQUIRE(find_paths(folder, given({})));
    CHECK(find_paths(folder, given({}))->socket().native().size() == 107);
    CHECK_FALSE(find_paths(folder + "x", given({})));
  }

  TEST_CASE("an empty variable of the process counts as none") {
    ::setenv("BECKON_PATHS_TEST", "", 1);
    CHECK_FALSE(process_environment("BECKON_PATHS_TEST"));
    ::setenv("BECKON_PATHS_TEST", "x", 1);
    CHECK(process_environment("BECKON_PATHS_TEST") == "x");
    ::unsetenv("BECKON_PATHS_TEST");
    CHECK_FALSE(process_environment("BECKON_PATHS_TEST"));
  }

  TEST_CASE("a home that is a file, or below one, is refused by name") {
    char pattern[] = "/tmp/beckon-paths-XXXXXX";
    int file = mkstemp(pattern);
    REQUIRE(file >= 0);
    ::close(file);
    std::string path = pattern;
    CHECK(find_paths(path, given({})).error().text.find(path + " is a file") == 0);
    CHECK(find_paths(path + "/below/it", given({})).error().text.find(path + " is a file") == 0);
    std::filesystem::remove(path);
  }

  TEST_CASE("a failure on a disk with room and for writing is told as it was") {
    Paths paths{.state_dir = "/tmp"};
    beckon::Error error{beckon::ErrorCode::internal, "it failed"};
    CHECK(blame_disk(paths, error).text == "it failed");
    paths.state_dir = "/proc/self";  // a file system without any room
    CHECK(blame_disk(paths, error).text.find("is full (0 KiB free)") != std::string::npos);
    error.code = beckon::ErrorCode::refused;
    CHECK(blame_disk(paths, error).text == "it failed");
  }

  TEST_CASE("folders are made for the user alone, and one open to others is refused") {
    char pattern[] = "/tmp/beckon-paths-XXXXXX";
    Path root = mkdtemp(pattern);
    auto paths = find_paths((root / "home").string(), given({}));
    REQUIRE(make_private_folders(*paths));
    struct stat info {};
    REQUIRE(::stat(paths->state_dir.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
    CHECK(make_private_folders(*paths));
    ::chmod(paths->state_dir.c_str(), 0755);
    CHECK(make_private_folders(*paths).error().text.find("chmod 700") != std::string::npos);
    ::chmod(paths->state_dir.c_str(), 0701);  // one bit of others is enough
    CHECK_FALSE(make_private_folders(*paths));
    paths->state_dir = root / "state";
    paths->runtime_dir = root / "runtime";
    CHECK(make_private_folders(*paths));
    CHECK(std::filesystem::is_directory(paths->runtime_dir));
    std::filesystem::remove_all(root);
  }
}
