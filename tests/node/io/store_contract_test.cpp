// SPDX-License-Identifier: MIT
// What every Store promises, asked of both.
#include <doctest/doctest.h>

#include <map>
#include <memory>

#include "base/rng.h"
#include "node/io/sqlite_store.h"
#include "tests/node/io/temp_dir.h"
#include "tests/world/memory_store.h"

using namespace beckon;
using service::Mutation;
using service::Store;
using service::Table;

TEST_SUITE_BEGIN("io/store contract");

namespace {

struct InMemory {
  std::unique_ptr<service::MemoryStore> store = std::make_unique<service::MemoryStore>();
  Store& get() { return *store; }
  void reopen() {}
};

struct OnDisk {
  test::TempDir dir{};
  std::unique_ptr<io::SqliteStore> store = open();
  Store& get() { return *store; }
  void reopen() {
    store.reset();
    store = open();
  }
  std::unique_ptr<io::SqliteStore> open() {
    auto opened = io::SqliteStore::open(dir.file("db"));
    REQUIRE_MESSAGE(opened, opened.error().text);
    return std::move(*opened);
  }
};

Bytes bytes(std::string_view text) { return Bytes(as_bytes(text).begin(), as_bytes(text).end()); }

Mutation put(Table table, std::string_view key, std::string_view value) {
  return {table, bytes(key), bytes(value)};
}

using Rows = std::map<Bytes, Bytes>;

Rows rows(const Store& store, Table table, ByteView from = {}) {
  Rows out;
  Bytes last;
  auto done = store.scan(table, from, [&](ByteView key, ByteView value) {
    Bytes k(key.begin(), key.end());
    CHECK((out.empty() || last < k));
    last = k;
    out[k] = Bytes(value.begin(), value.end());
    return true;
  });
  REQUIRE(done);
  return out;
}

}  // namespace

TEST_CASE_TEMPLATE("a store gives back what was committed, and nothing else", S, InMemory, OnDisk) {
  S s;
  REQUIRE(s.get().commit({put(Table::meta, "a", "1"), put(Table::items, "a", "2")}));
  CHECK(*s.get().get(Table::meta, as_bytes("a")) == bytes("1"));
  CHECK(*s.get().get(Table::items, as_bytes("a")) == bytes("2"));
  CHECK(*s.get().get(Table::items, as_bytes("b")) == std::nullopt);
  CHECK(*s.get().get(Table::users, as_bytes("a")) == std::nullopt);
}

TEST_CASE_TEMPLATE("empty keys and values, zero bytes and large values are kept exactly", S,
                   InMemory, OnDisk) {
  S s;
  std::string zeros(3, '\0');
  std::string large(200'000, 'x');
  REQUIRE(s.get().commit({put(Table::users, "", "none"), put(Table::users, "empty", ""),
                          put(Table::users, zeros, zeros), put(Table::users, "large", large)}));
  s.reopen();
  CHECK(*s.get().get(Table::users, {}) == bytes("none"));
  CHECK(*s.get().get(Table::users, as_bytes("empty")) == Bytes{});
  CHECK(*s.get().get(Table::users, as_bytes(zeros)) == bytes(zeros));
  CHECK(*s.get().get(Table::users, as_bytes("large")) == bytes(large));
}

TEST_CASE_TEMPLATE("within one batch the last word on a key counts", S, InMemory, OnDisk) {
  S s;
  REQUIRE(s.get().commit({put(Table::inbox, "k", "1"),
                          put(Table::inbox, "k", "2"),
                          put(Table::inbox, "gone", "x"),
                          {Table::inbox, bytes("gone"), {}}}));
  CHECK(rows(s.get(), Table::inbox) == Rows{{bytes("k"), bytes("2")}});
}

TEST_CASE_TEMPLATE("a scan starts at the key given, goes in key order and stops when told", S,
                   InMemory, OnDisk) {
  S s;
  REQUIRE(s.get().commit({put(Table::peers, "c", "3"), put(Table::peers, "a", "1"),
                          put(Table::peers, "b", "2"), put(Table::peers, "\xff", "4")}));
  CHECK(rows(s.get(), Table::peers, as_bytes("b")).size() == 3);
  CHECK(rows(s.get(), Table::peers, as_bytes("bb")).size() == 2);
  int seen = 0;
  REQUIRE(s.get().scan(Table::peers, {}, [&](ByteView, ByteView) { return ++seen < 2; }));
  CHECK(seen == 2);
}

TEST_CASE_TEMPLATE("a visitor may read the store it is scanning", S, InMemory, OnDisk) {
  S s;
  REQUIRE(s.get().commit({put(Table::peers, "a", "1"), put(Table::peers, "b", "2")}));
  int seen = 0;
  REQUIRE(s.get().scan(Table::peers, {}, [&](ByteView key, ByteView value) {
    CHECK(**s.get().get(Table::peers, key) == Bytes(value.begin(), value.end()));
    seen += static_cast<int>(rows(s.get(), Table::peers).size());
    return true;
  }));
  CHECK(seen == 4);
}

TEST_CASE_TEMPLATE("random batches leave the store equal to a map, also after reopening", S,
                   InMemory, OnDisk) {
  S s;
  Rng rng(7);
  std::map<Table, Rows> model;
  for (int round = 0; round < 40; ++round) {
    std::vector<Mutation> batch;
    for (std::uint64_t i = rng.below(20); i > 0; --i) {
      auto table = static_cast<Table>(1 + rng.below(8));
      Bytes key(rng.below(3), static_cast<std::uint8_t>(rng.below(5)));
      Mutation m{table, key, {}};
      if (rng.chance(0.6)) m.value = Bytes(rng.below(50), static_cast<std::uint8_t>(round));
      if (m.value) {
        model[table][key] = *m.value;
      } else {
        model[table].erase(key);
      }
      batch.push_back(std::move(m));
    }
    REQUIRE(s.get().commit(batch));
    if (round % 10 == 9) s.reopen();
    for (int t = 1; t <= 8; ++t) {
      CHECK(rows(s.get(), static_cast<Table>(t)) == model[static_cast<Table>(t)]);
    }
  }
}
