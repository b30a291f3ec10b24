// SPDX-License-Identifier: MIT
#include "node/io/sqlite_store.h"

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "tests/node/io/temp_dir.h"

using namespace beckon;
using io::SqliteStore;
using service::Mutation;
using service::Table;
using test::TempDir;

TEST_SUITE_BEGIN("io/sqlite_store");

namespace {

void sql(const std::string& path, const std::string& text) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);
}

std::string why_not(const std::string& path) {
  auto opened = SqliteStore::open(path);
  REQUIRE(!opened);
  return opened.error().text;
}

bool says(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

void fill(const std::string& path) {
  auto store = SqliteStore::open(path);
  REQUIRE(store);
  for (std::uint8_t i = 0; i < 100; ++i) {
    REQUIRE((*store)->commit({{Table::items, Bytes{i}, Bytes(1000, i)}}));
  }
}

}  // namespace

TEST_CASE("a database that is open says so to a second opener, and opens once it is closed") {
  TempDir dir;
  auto first = SqliteStore::open(dir.file("db"));
  REQUIRE(first);
  CHECK(says(why_not(dir.file("db")), "open in another Beckon process"));
  first->reset();
  CHECK(SqliteStore::open(dir.file("db")));
}

TEST_CASE("only the owner may read the database file") {
  TempDir dir;
  auto store = SqliteStore::open(dir.file("db"));
  REQUIRE(store);
  for (const char* name : {"db", "db-wal", "db.lock"}) {
    CAPTURE(name);
    struct stat info {};
    REQUIRE(::stat(dir.file(name).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
}

TEST_CASE("somebody else's database is refused and left byte for byte as it was") {
  TempDir dir;
  sql(dir.file("db"), "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
  std::string before = test::read_file(dir.file("db"));
  CHECK(says(why_not(dir.file("db")), "not a Beckon database"));
  CHECK(test::read_file(dir.file("db")) == before);
}

TEST_CASE("a database of a newer format is refused and left as it was") {
  TempDir dir;
  fill(dir.file("db"));
  sql(dir.file("db"), "PRAGMA user_version = 99");
  std::string before = test::read_file(dir.file("db"));
  CHECK(says(why_not(dir.file("db")), "has format 99"));
  CHECK(says(why_not(dir.file("db")), "a newer Beckon wrote it"));
  CHECK(test::read_file(dir.file("db")) == before);
}

TEST_CASE("a file that is no database is refused with a cure and left as it was") {
  TempDir dir;
  std::string junk(20'000, 'j');
  test::write_file(dir.file("db"), junk);
  std::string text = why_not(dir.file("db"));
  CHECK(says(text, "damaged"));
  CHECK(says(text, "move it away"));
  CHECK(test::read_file(dir.file("db")) == junk);
}

TEST_CASE("damage inside the file is noticed when it is opened, and loses nothing more") {
  TempDir dir;
  fill(dir.file("db"));
  std::string whole = test::read_file(dir.file("db"));
  int noticed = 0;
  for (std::size_t page = 1; page < whole.size() / 4096; page += 3) {
    std::string hurt = whole;
    hurt.replace(page * 4096, 64, 64, '\xee');  // page header and cell pointers
    test::write_file(dir.file("db"), hurt);
    auto opened = SqliteStore::open(dir.file("db"));
    if (opened) continue;
    ++noticed;
    CHECK(says(opened.error().text, "damaged"));
    CHECK(test::read_file(dir.file("db")) == hurt);
  }
  CHECK(noticed > 5);
  test::write_file(dir.file("db"), whole);
  CHECK(SqliteStore::open(dir.file("db")));
}

TEST_CASE("a missing folder is named") {
  TempDir dir;
  CHECK(says(why_not(dir.file("no/db")), dir.file("no/db")));
}

TEST_CASE("the file stops growing at its limit, keeps what it has, and lives on after erasing") {
  TempDir dir;
  auto store = SqliteStore::open(dir.file("db"), {.max_bytes = 1 << 20});
  REQUIRE(store);
  SqliteStore& db = **store;
  std::uint8_t kept = 0;
  Result<void> last;
  while (kept < 200) {
    last = db.commit({{Table::items, Bytes{kept}, Bytes(20'000, kept)}});
    if (!last) break;
    ++kept;
  }
  CHECK(kept > 20);
  REQUIRE(!last);
  CHECK(says(last.error().text, "limit"));
  for (std::uint8_t i = 0; i < kept; ++i) {
    CHECK(**db.get(Table::items, Bytes{i}) == Bytes(20'000, i));
  }
  CHECK(*db.get(Table::items, Bytes{kept}) == std::nullopt);
  REQUIRE(db.commit({{Table::items, Bytes{0}, {}}, {Table::items, Bytes{1}, {}}}));
  CHECK(db.commit({{Table::items, Bytes{255}, Bytes(20'000, 1)}}));
  CHECK(*db.integrity_check() == "ok");
}
