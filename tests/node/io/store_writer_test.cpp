// SPDX-License-Identifier: MIT
#include "node/io/store_writer.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "node/io/sqlite_store.h"
#include "tests/node/io/temp_dir.h"
#include "tests/world/memory_store.h"

using namespace beckon;
using io::StoreWriter;
using service::Mutation;
using service::Table;

TEST_SUITE_BEGIN("io/store_writer");

namespace {

struct Loop {
  uv_loop_t loop{};
  Loop() { REQUIRE(uv_loop_init(&loop) == 0); }
  ~Loop() { CHECK(uv_loop_close(&loop) == 0); }
  void run() { uv_run(&loop, UV_RUN_DEFAULT); }
};

Mutation put(std::uint8_t key, std::size_t size = 10) {
  return {Table::items, Bytes{key}, Bytes(size, key)};
}

}  // namespace

TEST_CASE("batches complete in order, after their rows are in the database, in few commits") {
  test::TempDir dir;
  auto store = io::SqliteStore::open(dir.file("db"));
  REQUIRE(store);
  Loop loop;
  StoreWriter writer(&loop.loop, **store);
  std::vector<int> order;
  bool inside = true;
  for (std::uint8_t i = 0; i < 100; ++i) {
    writer.write({put(i)}, [&, i](Result<void> done) {
      CHECK(!inside);
      CHECK(done);
      CHECK((*store)->get(Table::items, Bytes{i})->has_value());
      order.push_back(i);
    });
  }
  inside = false;
  bool idle = false;
  writer.when_idle([&] { idle = true; });
  CHECK(!idle);
  loop.run();
  CHECK(idle);
  REQUIRE(order.size() == 100);
  CHECK(std::is_sorted(order.begin(), order.end()));
  CHECK(writer.commits() == 2);  // the first alone, the 99 that waited together
}

TEST_CASE("one batch that cannot be stored does not fail the batches committed with it") {
  service::MemoryStore store;
  store.limit_bytes(50);
  Loop loop;
  StoreWriter writer(&loop.loop, store);
  std::vector<bool> results;
  for (std::size_t size : {5u, 5u, 500u, 5u}) {
    writer.write({put(static_cast<std::uint8_t>(results.size() + size), size)},
                 [&](Result<void> done) { results.push_back(done.has_value()); });
  }
  loop.run();
  CHECK(results == std::vector<bool>{true, true, false, true});
}

TEST_CASE("a queue longer than its limit refuses what comes, in order, and takes more later") {
  service::MemoryStore store;
  Loop loop;
  StoreWriter writer(&loop.loop, store, {.max_waiting_bytes = 100});
  std::vector<int> accepted;
  std::vector<int> refused;
  for (std::uint8_t i = 0; i < 20; ++i) {
    writer.write({put(i, 29)}, [&, i](Result<void> done) {
      CHECK((refused.empty() || refused.back() < i));
      (done ? accepted : refused).push_back(i);
    });
  }
  loop.run();
  CHECK(accepted == std::vector<int>{0, 1, 2, 3});  // one under way, three of 30 bytes waiting
  CHECK(refused.size() == 16);
  writer.write({put(99, 29)}, [&](Result<void> done) { CHECK(done); });
  loop.run();
  CHECK(store.get(Table::items, Bytes{99})->has_value());
}
