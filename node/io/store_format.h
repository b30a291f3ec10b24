// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "node/service/kernel/store.h"

namespace SQLite {
class Database;
}

namespace beckon::io {

/// One step from a format of the database to the next.
struct Migration {
  const char* what{};                // for the error: cannot WHAT
  void (*run)(SQLite::Database&){};  // throws SQLite::Exception
};

/// Entry N brings format N to N+1. To change the format, add a step here, and a case to
/// tests/node/io/store_format_test.cpp that begins with a database of the format before.
std::span<const Migration> migrations();

inline constexpr std::pair<service::Table, const char*> store_tables[] = {
    {service::Table::meta, "meta"},         {service::Table::peers, "peers"},
    {service::Table::items, "items"},       {service::Table::users, "users"},
    {service::Table::contacts, "contacts"}, {service::Table::inbox, "inbox"},
    {service::Table::outbox, "outbox"},     {service::Table::calls, "calls"},
    {service::Table::claims, "claims"},
};

bool is_empty(SQLite::Database& db);       // nothing was ever written into it
void create_tables(SQLite::Database& db);  // in an empty one: all of the newest format

/// Whether the file is ours and whole; then brings an older format up to the newest. Each step is
/// one transaction together with its number, so a step that fails leaves the file as the step
/// before made it, and the next start goes on from there. A file that is foreign, damaged or newer
/// is refused and left as it was.
Result<void> bring_up_to_date(const std::string& path, SQLite::Database& db,
                              std::span<const Migration> steps = migrations());

}  // namespace beckon::io
