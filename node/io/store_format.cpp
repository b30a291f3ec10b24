// SPDX-License-Identifier: MIT
#include "node/io/store_format.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/core.h>
#include <sqlite3.h>

namespace beckon::io {

namespace {

constexpr int application_id = 0x42636b6e;  // "Bckn": tells our files from other people's

int pragma(SQLite::Database& db, const char* name) {
  return db.execAndGet(std::string("PRAGMA ") + name).getInt();
}

void add_missing_tables(SQLite::Database& db) {
  for (const auto& [table, name] : store_tables) {
    db.exec(
        fmt::format("CREATE TABLE IF NOT EXISTS {} (key BLOB NOT NULL PRIMARY KEY, value BLOB "
                    "NOT NULL) WITHOUT ROWID",
                    name));
  }
}

constexpr Migration all[] = {
    {"add the tables that files without a number may lack", add_missing_tables},
    {"add the table of claims", add_missing_tables},
};

void set_format(SQLite::Database& db, std::size_t format) {
  db.exec(fmt::format("PRAGMA user_version = {}", format));
}

Result<void> take_step(const std::string& path, SQLite::Database& db, const Migration& step,
                       std::size_t from) {
  try {
    SQLite::Transaction transaction(db);
    step.run(db);
    set_format(db, from + 1);
    transaction.commit();
    return {};
  } catch (const SQLite::Exception& e) {
    return Error{ErrorCode::internal,
                 fmt::format("cannot upgrade the database {} from format {} to {}: cannot {} ({}); "
                             "nothing in it is lost, it still has format {}: mend the cause and "
                             "start again, or run the Beckon that wrote it",
                             path, from, from + 1, step.what, e.what(), from)};
  }
}

}  // namespace

std::span<const Migration> migrations() { return all; }

bool is_empty(SQLite::Database& db) {
  return db.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0 &&
         pragma(db, "application_id") == 0 && pragma(db, "user_version") == 0;
}

void create_tables(SQLite::Database& db) {
  SQLite::Transaction transaction(db);
  add_missing_tables(db);
  db.exec(fmt::format("PRAGMA application_id = {}", application_id));
  set_format(db, migrations().size());
  transaction.commit();
}

Result<void> bring_up_to_date(const std::string& path, SQLite::Database& db,
                              std::span<const Migration> steps) {
  if (pragma(db, "application_id") != application_id) {
    return Error{ErrorCode::internal,
                 path +
                     " is not a Beckon database; it was left untouched: move it away or choose "
                     "another --home"};
  }
  int found = pragma(db, "user_version");
  if (found < 0 || static_cast<std::size_t>(found) > steps.size()) {
    return Error{
        ErrorCode::internal,
        fmt::format("{} has format {}, this program knows formats up to {}: a newer Beckon "
                    "wrote it. It was left untouched: install that Beckon again, or "
                    "choose another --home",
                    path, found, steps.size())};
  }
  std::string verdict = db.execAndGet("PRAGMA quick_check(1)").getString();
  if (verdict != "ok") throw SQLite::Exception(verdict, SQLITE_CORRUPT);
  for (auto format = static_cast<std::size_t>(found); format < steps.size(); ++format) {
    if (auto done = take_step(path, db, steps[format], format); !done) return done;
  }
  return {};
}

}  // namespace beckon::io
