// SPDX-License-Identifier: MIT
#include "node/service/items/item_sums.h"

#include <doctest/doctest.h>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/item_sums");

namespace {

/// Beside the sums, all numbers in a map: what the sums must say, the slow way.
struct Twin {
  std::map<ItemKey, ItemSum> numbers{};
  ItemSums sums{};

  void add(const ItemKey& key) {
    auto [at, fresh] = numbers.emplace(key, number_of({.key = key}));
    if (fresh) sums.add(at->first, at->second);
  }
  void remove(const ItemKey& key) {
    auto at = numbers.find(key);
    if (at == numbers.end()) return;
    sums.remove(key);
    numbers.erase(at);
  }
  ItemSums::Total afresh(const Span& span) const {
    ItemSums::Total out;
    for (const auto& [key, number] : numbers) {
      if (!span.contains(key)) continue;
      out.sum += number;
      ++out.items;
    }
    return out;
  }
};

/// Few places, so that keys meet again; half of them under one ring id.
ItemKey some_key(Rng& rng) {
  ItemKey key{.kind = ItemKind::index_item};
  key.ring.bytes[0] = static_cast<std::uint8_t>(rng.chance(0.5) ? 7 : rng.below(256));
  key.sub.bytes[0] = static_cast<std::uint8_t>(rng.below(64));
  key.sub.bytes[19] = static_cast<std::uint8_t>(rng.below(16));
  return key;
}

Span some_span(Rng& rng) {
  ItemKey a = some_key(rng), b = some_key(rng);
  if (rng.chance(0.1)) a = {};
  if (rng.chance(0.1)) b = highest_key();
  if (rng.chance(0.1)) b = a;
  return {std::min(a, b), std::max(a, b)};
}

const Span everything{{}, highest_key()};

void check_same(const Twin& twin, const Span& span) {
  auto fast = twin.sums.over(span), slow = twin.afresh(span);
  CHECK(fast.sum == slow.sum);
  CHECK(fast.items == slow.items);
}

}  // namespace

TEST_CASE("a sum over any span is what adding up its items gives, after any adds and removals") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Twin twin;
    for (int round = 0; round < 6000; ++round) {
      bool growing = round / 1000 % 2 == 0;
      rng.chance(growing ? 0.8 : 0.2) ? twin.add(some_key(rng)) : twin.remove(some_key(rng));
      if (round % 40 == 0) check_same(twin, some_span(rng));
      if (round % 100 != 0) continue;
      check_same(twin, everything);
      CHECK(twin.sums.chunks() <= 4 * twin.numbers.size() / ItemSums::chunk_limit + 1);
    }
    while (!twin.numbers.empty()) twin.remove(ItemKey(twin.numbers.begin()->first));
    CHECK(twin.sums.over(everything).sum == ItemSum{});
    CHECK(twin.sums.chunks() == 1);
  }
}

TEST_CASE("a sum over many items takes far fewer steps than items, wherever they crowd") {
  for (bool one_id : {false, true}) {
    CAPTURE(one_id);
    Rng rng(2);
    Twin twin;
    for (int i = 0; i < 50'000; ++i) {
      ItemKey key;
      if (!one_id) rng.fill(key.ring.bytes);
      rng.fill(key.sub.bytes);
      twin.add(key);
    }
    CHECK(twin.sums.over(everything).steps < 50'000 / 30);
    for (int i = 0; i < 100; ++i) {
      auto a = std::next(twin.numbers.begin(), static_cast<std::ptrdiff_t>(rng.below(25'000)));
      auto b = std::next(a, 20'000);
      auto total = twin.sums.over({a->first, b->first});
      CHECK(total.items == 20'001);
      CHECK(total.steps < 20'000 / 30 + 2 * ItemSums::chunk_limit);
    }
  }
}

TEST_CASE("keys that come in rising order, as from a disk, fill their chunks") {
  Twin twin;
  ItemKey key;
  for (int i = 0; i < 6400; ++i, key = after(key)) twin.add(key);
  CHECK(twin.sums.chunks() == 6400 / ItemSums::chunk_limit);
  check_same(twin, everything);
}

TEST_CASE("a span is cut into adjoining parts with about as many items each, for every turn") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Twin twin;
    for (std::uint64_t i = rng.below(800); i > 0; --i) twin.add(some_key(rng));
    for (int round = 0; round < 20; ++round) {
      Span span = some_span(rng);
      std::size_t wanted = 1 + rng.below(40), items = twin.sums.over(span).items;
      auto parts = twin.sums.cut(span, wanted, rng.next());
      REQUIRE(parts.size() == std::max<std::size_t>(1, std::min(wanted, items)));
      CHECK(parts.front().first == span.first);
      CHECK(parts.back().last == span.last);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) CHECK(parts[i].first == after(parts[i - 1].last));
        auto each = twin.sums.over(parts[i]).items;
        CHECK(each <= 2 * items / parts.size() + 2);
        CHECK((items == 0 || each >= 1));
      }
    }
  }
}

TEST_CASE("numbers and sums are those of docs/protocol.md") {
  ItemStamp entry{.seq = 5, .check = {1, 2, 3, 4, 5, 6, 7, 8}};
  entry.key.ring.bytes.fill(0x11);
  entry.key.kind = ItemKind::index_item;
  entry.key.sub.bytes.fill(0x22);
  ItemSum sum = number_of(entry);
  CHECK(sum == ItemSum{.high = 0x495d81e1010fa9a9, .low = 0x0d1d372db67d46f1});
  entry.seq = 10;
  sum += number_of(entry);
  CHECK(sum == ItemSum{.high = 0x3d537c9b9b26053a, .low = 0xf1c9b4d9cb7b7635});
}

TEST_CASE("sums carry and borrow, and wrap at 2^128") {
  ItemSum most{.high = ~0ull, .low = ~0ull};
  ItemSum sum = most;
  sum += {.low = 1};
  CHECK(sum == ItemSum{});
  sum -= {.low = 1};
  CHECK(sum == most);
  sum = {.low = ~0ull};
  sum += {.low = ~0ull};
  CHECK(sum == ItemSum{.high = 1, .low = ~0ull - 1});
  sum -= {.low = ~0ull};
  CHECK(sum == ItemSum{.low = ~0ull});
}

TEST_SUITE_END();
