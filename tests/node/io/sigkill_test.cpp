// SPDX-License-Identifier: MIT
// A process is killed while it writes; what it acknowledged must be in the database.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/hash.h"
#include "base/rng.h"
#include "node/io/sqlite_store.h"
#include "tests/node/io/temp_dir.h"

using namespace beckon;
using io::SqliteStore;
using service::Mutation;
using service::Table;

TEST_SUITE_BEGIN("io/sigkill");

namespace {

constexpr std::uint64_t batch_rows = 4;

Bytes key_of(std::uint64_t row) {
  ByteWriter out;
  out.u64(row);
  return out.take();
}

/// Telling by its length and content alone whether it is whole.
Bytes value_of(std::uint64_t row) {
  Digest seed = sha256(key_of(row));
  Bytes out(seed.begin(), seed.end());
  out.resize(32 + row * 37 % 3000, static_cast<std::uint8_t>(row));
  return out;
}

/// The child: writes batch after batch for ever and tells each on the pipe once it is committed.
[[noreturn]] void write_for_ever(const std::string& path, std::uint64_t first, int pipe) {
  auto store = SqliteStore::open(path);
  if (!store) ::_exit(1);
  for (std::uint64_t batch = first;; ++batch) {
    std::vector<Mutation> rows;
    for (std::uint64_t i = 0; i < batch_rows; ++i) {
      std::uint64_t row = batch * batch_rows + i;
      rows.push_back({Table::items, key_of(row), value_of(row)});
    }
    if (!(*store)->commit(rows)) ::_exit(1);
    if (::write(pipe, &batch, sizeof batch) != sizeof batch) ::_exit(1);
  }
}

/// Runs the child until it is killed; the number of batches it acknowledged in all.
std::uint64_t run_and_kill(const std::string& path, std::uint64_t first, std::int64_t after_ms) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) write_for_ever(path, first, ends[1]);
  ::close(ends[1]);
  ::usleep(static_cast<useconds_t>(after_ms * 1000));  // the moment of death, not a synchronisation
  ::kill(child, SIGKILL);
  std::uint64_t acknowledged = first;
  std::uint64_t batch = 0;
  while (::read(ends[0], &batch, sizeof batch) == sizeof batch) acknowledged = batch + 1;
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));  // it did not end by itself: no commit failed
  return acknowledged;
}

/// Every acknowledged row is there and whole; of the batch that was under way, all rows or none.
std::uint64_t check(const std::string& path, std::uint64_t acknowledged) {
  auto store = SqliteStore::open(path);
  REQUIRE_MESSAGE(store, store.error().text);
  CHECK(*(*store)->integrity_check() == "ok");
  std::uint64_t rows = 0;
  REQUIRE((*store)->scan(Table::items, {}, [&](ByteView key, ByteView value) {
    bool whole = std::ranges::equal(key, key_of(rows)) && std::ranges::equal(value, value_of(rows));
    REQUIRE(whole);
    ++rows;
    return true;
  }));
  CHECK(rows % batch_rows == 0);
  CHECK(rows / batch_rows >= acknowledged);
  CHECK(rows / batch_rows <= acknowledged + 1);
  return rows / batch_rows;
}

}  // namespace

TEST_CASE("200 kills during writes lose nothing acknowledged, and the database always opens") {
  Rng rng(20);
  test::TempDir dir;
  std::uint64_t batches = 0;
  std::uint64_t all = 0;
  for (int kill = 0; kill < 200; ++kill) {
    CAPTURE(kill);
    if (kill % 10 == 0) {  // a new file now and then: its making is interrupted, too
      all += batches;
      batches = 0;
    }
    std::string path = dir.file("db" + std::to_string(kill / 10));
    std::uint64_t acknowledged = run_and_kill(path, batches, rng.between(5, 200));
    batches = check(path, acknowledged);
  }
  MESSAGE("acknowledged batches in all: " << all + batches);
  CHECK(all > 0);
}
