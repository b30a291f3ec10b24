// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "node/service/kernel/store.h"

namespace beckon::io {

/// The durable tables in one SQLite file (WAL, synchronous=FULL): one table per service::Table,
/// BLOB keys and values, no other SQL anywhere. A commit that returned success survives a kill and
/// a power cut, as far as the disk keeps what it was told to sync.
///
/// One process at a time: a lock file beside the database is held while it is open, and the kernel
/// frees it however the process ends. Two threads at most: commit() may run on a worker while the
/// owner's thread calls get() and scan(), which read the last committed state.
///
/// A file that is damaged, foreign or from a newer version is refused with a sentence that names
/// the cure, and is left as it was. One of an older format is upgraded (store_format.h).
class SqliteStore final : public service::Store {
 public:
  struct Options {
    std::uint64_t max_bytes = 512ull << 20;  // of the database file; further commits fail
    int busy_ms = 2000;                      // wait for another program that reads the file
  };

  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path, Options options);
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path);
  struct Impl;  // keeps SQLite's headers out of this one; open() makes it
  explicit SqliteStore(std::unique_ptr<Impl> impl);
  ~SqliteStore() override;

  Result<void> commit(const std::vector<service::Mutation>& batch) override;
  Result<std::optional<Bytes>> get(service::Table table, ByteView key) const override;
  Result<void> scan(service::Table table, ByteView from, const Visit& visit) const override;

  /// The slow whole-file check, for tests and repair commands: "ok" or what is wrong.
  Result<std::string> integrity_check() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace beckon::io
