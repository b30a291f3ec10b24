// SPDX-License-Identifier: MIT
#include "node/io/store_format.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>

#include "node/io/sqlite_store.h"
#include "tests/node/io/temp_dir.h"

using namespace beckon;
using namespace beckon::io;
using service::Table;
using test::TempDir;

TEST_SUITE_BEGIN("io/store_format");

namespace {

SQLite::Database file(const TempDir& dir) {
  return {dir.file("db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
}

int format_of(SQLite::Database& db) { return db.execAndGet("PRAGMA user_version").getInt(); }

/// As a program wrote it that gave its format no number and had fewer tables.
void make_format_0(const TempDir& dir) {
  SQLite::Database db = file(dir);
  db.exec("PRAGMA application_id = 0x42636b6e");
  for (const char* name : {"meta", "peers", "items", "users"}) {
    db.exec(std::string("CREATE TABLE ") + name +
            " (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID");
  }
  db.exec("INSERT INTO items VALUES (x'01', x'aa'), (x'02', x'bb')");
  db.exec("INSERT INTO users VALUES (x'07', x'cc')");
}

std::size_t tables_in(SQLite::Database& db) {
  return static_cast<std::size_t>(
      db.execAndGet("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").getInt64());
}

/// Two steps behind the real ones; the second fails after it has changed something.
void double_values(SQLite::Database& db) { db.exec("UPDATE items SET value = value || value"); }
void fail_half_way(SQLite::Database& db) {
  db.exec("DELETE FROM users");
  db.exec("INSERT INTO no_such_table VALUES (1)");
}

}  // namespace

TEST_CASE("a database of format 0 is upgraded when it is opened, and keeps every row") {
  TempDir dir;
  make_format_0(dir);
  {
    auto store = SqliteStore::open(dir.file("db"));
    REQUIRE(store);
    CHECK(**(*store)->get(Table::items, Bytes{1}) == Bytes{0xaa});
    CHECK(**(*store)->get(Table::items, Bytes{2}) == Bytes{0xbb});
    CHECK(**(*store)->get(Table::users, Bytes{7}) == Bytes{0xcc});
    CHECK((*store)->commit({{Table::calls, Bytes{1}, Bytes{2}}}));
    CHECK(*(*store)->integrity_check() == "ok");
  }
  SQLite::Database db = file(dir);
  CHECK(format_of(db) == static_cast<int>(migrations().size()));
  CHECK(tables_in(db) == std::size(store_tables));
  CHECK(SqliteStore::open(dir.file("db")));
}

TEST_CASE("a database of format 1 gets the table of claims, and keeps every row") {
  TempDir dir;
  {
    SQLite::Database db = file(dir);
    create_tables(db);
    db.exec("DROP TABLE claims");
    db.exec("PRAGMA user_version = 1");
    db.exec("INSERT INTO items VALUES (x'01', x'aa')");
  }
  auto store = SqliteStore::open(dir.file("db"));
  REQUIRE(store);
  CHECK(**(*store)->get(Table::items, Bytes{1}) == Bytes{0xaa});
  CHECK((*store)->commit({{Table::claims, Bytes{1}, Bytes{2}}}));
}

TEST_CASE("a new database has the format that upgrading an old one ends with") {
  TempDir dir;
  make_format_0(dir);
  TempDir other;
  for (const TempDir* each : {&dir, &other}) REQUIRE(SqliteStore::open(each->file("db")));
  SQLite::Database old = file(dir), fresh = file(other);
  CHECK(format_of(old) == format_of(fresh));
  for (const auto& [table, name] : store_tables) {
    CAPTURE(name);
    auto columns = [name = name](SQLite::Database& db) {
      return db
          .execAndGet(std::string("SELECT group_concat(name || type || pk) FROM "
                                  "pragma_table_info('") +
                      name + "')")
          .getString();
    };
    CHECK(columns(old) == columns(fresh));
  }
}

TEST_CASE("a step that fails half way changes nothing, and the next start goes on from there") {
  TempDir dir;
  make_format_0(dir);
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  int good = static_cast<int>(steps.size()) + 1;
  steps.push_back({"double the values", double_values});
  steps.push_back({"fail", fail_half_way});
  SQLite::Database db = file(dir);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto done = bring_up_to_date(dir.file("db"), db, steps);
    REQUIRE(!done);
    CHECK(done.error().text.find("nothing in it is lost") != std::string::npos);
    CHECK(done.error().text.find("cannot fail (no such table") != std::string::npos);
    CHECK(format_of(db) == good);  // the steps before it are done, once
    CHECK(db.execAndGet("SELECT hex(value) FROM items WHERE key = x'01'").getString() == "AAAA");
    CHECK(db.execAndGet("SELECT count(*) FROM users").getInt() == 1);
  }
  steps.pop_back();
  CHECK(bring_up_to_date(dir.file("db"), db, steps));
  CHECK(db.execAndGet("SELECT hex(value) FROM items WHERE key = x'01'").getString() == "AAAA");
}

TEST_CASE("an upgrade that cannot be done leaves the old file, which opens once it can") {
  TempDir dir;
  make_format_0(dir);
  {
    SQLite::Database db = file(dir);
    db.exec("CREATE INDEX calls ON items (value)");  // in the way of a table of that name
  }
  auto opened = SqliteStore::open(dir.file("db"));
  REQUIRE(!opened);
  CHECK(opened.error().text.find("from format 0 to 1") != std::string::npos);
  SQLite::Database db = file(dir);
  CHECK(format_of(db) == 0);
  CHECK(tables_in(db) == 4);  // not even those that could be made
  db.exec("DROP INDEX calls");
  CHECK(SqliteStore::open(dir.file("db")));
}

TEST_CASE("a format below zero or beyond the newest is a newer Beckon's") {
  TempDir dir;
  make_format_0(dir);
  SQLite::Database db = file(dir);
  for (std::string format : {"3", "99", "-1"}) {
    CAPTURE(format);
    db.exec("PRAGMA user_version = " + format);
    auto done = bring_up_to_date(dir.file("db"), db);
    REQUIRE(!done);
    CHECK(done.error().text.find("has format " + format) != std::string::npos);
    CHECK(done.error().text.find("a newer Beckon wrote it") != std::string::npos);
  }
}
