// SPDX-License-Identifier: MIT
#include "node/io/sqlite_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "node/io/file_lock.h"
#include "node/io/store_format.h"

namespace beckon::io {

using service::Mutation;
using service::Table;

namespace {

constexpr int page_size = 4096;

const char* name_of(Table table) {
  for (const auto& [known, name] : store_tables) {
    if (known == table) return name;
  }
  ENSURE(!"every table has a name");
  return "";
}

/// The one place where SQLite's result codes become sentences.
Error explain(const std::string& path, const SQLite::Exception& e) {
  switch (e.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable,
              "the database " + path + " is in use by another program; close it and try again"};
    case SQLITE_FULL:
      return {ErrorCode::internal, "the database " + path +
                                       " cannot grow: its limit is reached or the disk is full; "
                                       "free some space or raise the limit"};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {ErrorCode::internal,
              "the database " + path + " is damaged (" + e.what() +
                  "); nothing in it was changed: put a backup in its place, or move it away and "
                  "start again to begin with an empty one"};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::internal, "the database " + path + " cannot be opened for writing (" +
                                       e.what() + "); check the folder and its permissions"};
    default:
      return {ErrorCode::internal, "the database " + path + " failed: " + e.what()};
  }
}

void bind_blob(SQLite::Statement& statement, int index, ByteView bytes) {
  // A null pointer would bind NULL; an empty key or value is a value all the same.
  const void* data = bytes.empty() ? static_cast<const void*>("") : bytes.data();
  statement.bindNoCopy(index, data, static_cast<int>(bytes.size()));
}

ByteView column(SQLite::Statement& statement, int index) {
  SQLite::Column c = statement.getColumn(index);
  return {static_cast<const std::uint8_t*>(c.getBlob()), static_cast<std::size_t>(c.getBytes())};
}

void harden(SQLite::Database& db) {
  db.exec("PRAGMA trusted_schema = OFF");
  if (sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr) != SQLITE_OK) {
    throw SQLite::Exception("cannot switch on defensive mode", SQLITE_ERROR);
  }
}

int pragma(SQLite::Database& db, const std::string& name) {
  return db.execAndGet("PRAGMA " + name).getInt();
}

/// SQLite would make the file with the umask's rights; what is inside is the owner's only.
Result<void> make_private(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    return Error{ErrorCode::internal, "cannot open the database " + path + ": " +
                                          std::strerror(errno) +
                                          "; check the folder and its permissions"};
  }
  ::close(fd);
  return {};
}

}  // namespace

struct SqliteStore::Impl {
  Impl(std::string where, FileLock held, Options options)
      : path(std::move(where)),
        lock(std::move(held)),
        writer(path, SQLite::OPEN_READWRITE, options.busy_ms),
        reader(path, SQLite::OPEN_READWRITE, options.busy_ms) {}

  Result<void> prepare(const Options& options);
  void prepare_statements();

  std::string path;
  FileLock lock;
  SQLite::Database writer;  // only commit() touches it
  SQLite::Database reader;
  std::map<Table, SQLite::Statement> put, erase, find;
};

Result<void> SqliteStore::Impl::prepare(const Options& options) {
  harden(writer);
  harden(reader);
  if (is_empty(writer)) {
    writer.exec("PRAGMA page_size = " + std::to_string(page_size));
    create_tables(writer);
  }
  if (auto ours = bring_up_to_date(path, writer); !ours) return ours.error();
  writer.exec("PRAGMA journal_mode = WAL");
  writer.exec("PRAGMA synchronous = FULL");
  auto pages = options.max_bytes / static_cast<std::uint64_t>(pragma(writer, "page_size"));
  writer.exec("PRAGMA max_page_count = " + std::to_string(pages));
  reader.exec("PRAGMA query_only = ON");
  prepare_statements();
  return {};
}

void SqliteStore::Impl::prepare_statements() {
  for (const auto& [table, text] : store_tables) {
    std::string name = text;
    put.emplace(table, SQLite::Statement(writer, "INSERT INTO " + name +
                                                     " VALUES (?, ?) ON CONFLICT (key) DO UPDATE "
                                                     "SET value = excluded.value"));
    erase.emplace(table, SQLite::Statement(writer, "DELETE FROM " + name + " WHERE key = ?"));
    find.emplace(table, SQLite::Statement(reader, "SELECT value FROM " + name + " WHERE key = ?"));
  }
}

SqliteStore::SqliteStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path) {
  return open(path, Options{});
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path, Options options) {
  auto lock = FileLock::take(path + ".lock");
  if (!lock && lock.error().code == ErrorCode::unavailable) {
    return Error{ErrorCode::unavailable, "the database " + path +
                                             " is open in another Beckon process; stop that one, "
                                             "or choose another --home"};
  }
  if (!lock) return lock.error();
  if (auto made = make_private(path); !made) return made.error();
  try {
    auto impl = std::make_unique<Impl>(path, std::move(*lock), options);
    if (auto ready = impl->prepare(options); !ready) return ready.error();
    return std::make_unique<SqliteStore>(std::move(impl));
  } catch (const SQLite::Exception& e) {
    return explain(path, e);
  }
}

Result<void> SqliteStore::commit(const std::vector<Mutation>& batch) {
  try {
    SQLite::Transaction transaction(impl_->writer);
    for (const Mutation& m : batch) {
      SQLite::Statement& statement = (m.value ? impl_->put : impl_->erase).at(m.table);
      statement.tryReset();
      bind_blob(statement, 1, m.key);
      if (m.value) bind_blob(statement, 2, *m.value);
      statement.exec();
      statement.tryReset();
    }
    transaction.commit();
    return {};
  } catch (const SQLite::Exception& e) {
    return explain(impl_->path, e);
  }
}

Result<std::optional<Bytes>> SqliteStore::get(Table table, ByteView key) const {
  try {
    SQLite::Statement& statement = impl_->find.at(table);
    statement.tryReset();
    bind_blob(statement, 1, key);
    std::optional<Bytes> value;
    if (statement.executeStep()) {
      ByteView found = column(statement, 0);
      value.emplace(found.begin(), found.end());
    }
    statement.tryReset();
    return value;
  } catch (const SQLite::Exception& e) {
    return explain(impl_->path, e);
  }
}

Result<void> SqliteStore::scan(Table table, ByteView from, const Visit& visit) const {
  try {
    // Its own statement, so that a visitor may read the store.
    SQLite::Statement rows(impl_->reader, std::string("SELECT key, value FROM ") + name_of(table) +
                                              " WHERE key >= ? ORDER BY key");
    bind_blob(rows, 1, from);
    while (rows.executeStep()) {
      if (!visit(column(rows, 0), column(rows, 1))) break;
    }
    return {};
  } catch (const SQLite::Exception& e) {
    return explain(impl_->path, e);
  }
}

Result<std::string> SqliteStore::integrity_check() const {
  try {
    return impl_->reader.execAndGet("PRAGMA integrity_check").getString();
  } catch (const SQLite::Exception& e) {
    return explain(impl_->path, e);
  }
}

}  // namespace beckon::io
