// SPDX-License-Identifier: MIT
#include "cli/session/last_find.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/node/io/temp_dir.h"

using namespace beckon;
using namespace beckon::cli;

namespace {

config::Paths paths_below(const std::filesystem::path& folder) {
  config::Paths out;
  out.home = out.state_dir = out.runtime_dir = folder;
  return out;
}

LastFind two_rows() {
  return {.query = "hobby=chess",
          .rows = {{.id = "aa",
                    .name = "Älice \"A\"",
                    .key = "01",
                    .message_key = "02",
                    .host = "03",
                    .address = "127.0.0.1:1"},
                   {.id = "bb"}}};
}

}  // namespace

TEST_SUITE("cli/last_find") {
  TEST_CASE("what was saved is loaded, and nobody else may read it") {
    test::TempDir folder;
    auto paths = paths_below(folder.file("home"));
    REQUIRE(save_last_find(paths, two_rows()));
    auto loaded = load_last_find(paths);
    REQUIRE(loaded);
    CHECK(loaded->query == "hobby=chess");
    CHECK(loaded->rows == two_rows().rows);
    struct stat info {};
    REQUIRE(::stat(last_find_file(paths).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }

  TEST_CASE("before the first find @1 is not found, and a broken file is told") {
    test::TempDir folder;
    auto paths = paths_below(folder.file("home"));
    auto none = load_last_find(paths);
    REQUIRE(!none);
    CHECK(none.error().code == ErrorCode::not_found);
    REQUIRE(save_last_find(paths, two_rows()));
    for (const char* text : {"", "[", "{}", "[1]", R"({"rows":[1]})", R"({"rows":[{"id":7}]})"}) {
      CAPTURE(text);
      std::ofstream(last_find_file(paths)) << text;
      CHECK(!load_last_find(paths));
    }
  }

  TEST_CASE("@N is row N, and anything else is refused") {
    LastFind found = two_rows();
    CHECK(row_named(found, "@1")->id == "aa");
    CHECK(row_named(found, "@2")->id == "bb");
    for (const char* name : {"@0", "@3", "@", "1", "@1x", "@-1", "@99999999999999999999999", ""}) {
      CAPTURE(name);
      CHECK(!row_named(found, name));
    }
  }
}
