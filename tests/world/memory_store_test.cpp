// SPDX-License-Identifier: MIT
#include "tests/world/memory_store.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/memory_store");

namespace {

Bytes bytes(std::string_view text) { return Bytes(as_bytes(text).begin(), as_bytes(text).end()); }

std::vector<Mutation> put(std::string_view key, std::string_view value) {
  return {{Table::items, bytes(key), bytes(value)}};
}

bool has(const MemoryStore& store, std::string_view key) {
  return store.get(Table::items, as_bytes(key))->has_value();
}

}  // namespace

TEST_CASE("the n-th commit fails, alone, and changes nothing") {
  MemoryStore store;
  store.fail_commit(2);
  CHECK(store.commit(put("a", "1")));
  CHECK(!store.commit(put("b", "1")));
  CHECK(store.commit(put("c", "1")));
  CHECK((has(store, "a") && !has(store, "b") && has(store, "c")));
}

TEST_CASE("a full disk refuses growth but lets rows be erased") {
  MemoryStore store;
  store.limit_bytes(10);
  REQUIRE(store.commit(put("a", "12345")));
  CHECK(!store.commit(put("b", "12345")));
  CHECK(store.bytes() == 6);
  CHECK(store.commit(put("a", "1234567")));
  REQUIRE(store.commit({{Table::items, bytes("a"), {}}}));
  CHECK(store.bytes() == 0);
  CHECK(store.commit(put("b", "12345")));
}

TEST_CASE("commits whose sync was lost are gone after a power loss, earlier ones are not") {
  MemoryStore store;
  REQUIRE(store.commit(put("kept", "1")));
  store.lose_syncs(true);
  REQUIRE(store.commit(put("lost", "1")));
  CHECK(has(store, "lost"));
  store.power_loss();
  CHECK((has(store, "kept") && !has(store, "lost")));
  store.lose_syncs(false);
  REQUIRE(store.commit(put("later", "1")));
  store.power_loss();
  CHECK(has(store, "later"));
}

TEST_CASE("a disk can go back to an older state or be replaced by an empty one") {
  MemoryStore store;
  REQUIRE(store.commit(put("old", "1")));
  auto before = store.snapshot();
  REQUIRE(store.commit(put("new", "1")));
  store.restore(before);
  CHECK((has(store, "old") && !has(store, "new")));
  store.wipe();
  CHECK((store.bytes() == 0 && !has(store, "old")));
}
