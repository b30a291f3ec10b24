// SPDX-License-Identifier: MIT
#include "node/service/items/item_table.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include "base/rng.h"
#include "node/service/find/index.h"
#include "tests/node/service/items/sums.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/item_table");

namespace {

Id at(unsigned high, unsigned low = 0) {
  Id id;
  id.bytes[0] = static_cast<std::uint8_t>(high);
  id.bytes[19] = static_cast<std::uint8_t>(low);
  return id;
}

Item item(const Id& ring, unsigned sub, std::uint64_t seq = 1, std::int64_t expiry = 1000) {
  Item out{.key = {ring, ItemKind::author_item, at(sub)}, .bytes = Bytes(10 + sub % 7)};
  out.info = {
      .sub = out.key.sub, .seq = seq, .expiry = wall_from_ms(expiry), .author = at(sub % 3)};
  out.digest = sha256(out.bytes);
  return out;
}

struct Listener : ItemListener {
  std::vector<std::string> heard{};
  void item_changed(const Item* before, const Item* after) override {
    heard.push_back(std::string(before ? "was " + std::to_string(before->info.seq) : "new") +
                    (after ? " is " + std::to_string(after->info.seq) : " gone"));
  }
};

}  // namespace

TEST_CASE("an item is found, replaced and erased, and the listener of its kind hears each change") {
  ItemTable table;
  Listener listener;
  table.listen(ItemKind::author_item, listener);
  table.put(item(at(1), 1, 5));
  table.put(item(at(1), 1, 6));
  CHECK(table.find({at(1), ItemKind::author_item, at(1)})->info.seq == 6);
  CHECK(table.erase({at(1), ItemKind::author_item, at(1)}));
  CHECK(!table.erase({at(1), ItemKind::author_item, at(1)}));
  CHECK(table.total() == ItemTable::Usage{});
  CHECK(listener.heard == std::vector<std::string>{"new is 5", "was 5 is 6", "was 6 gone"});
}

TEST_CASE("usage and expiry keep up with random changes, as counting afresh would") {
  Rng rng(11);
  ItemTable table;
  std::map<ItemKey, Item> model;
  for (int round = 0; round < 3000; ++round) {
    Item it = item(at(static_cast<unsigned>(rng.below(8))), static_cast<unsigned>(rng.below(20)),
                   rng.below(5), static_cast<std::int64_t>(rng.below(100)));
    if (rng.chance(0.6)) {
      model.insert_or_assign(it.key, it);
      table.put(it);
    } else {
      CHECK(table.erase(it.key) == (model.erase(it.key) == 1));
    }
    if (round % 100 != 0) continue;
    std::map<Id, ItemTable::Usage> authors;
    ItemTable::Usage total;
    std::size_t expired = 0;
    for (const auto& [key, known] : model) {
      authors[known.info.author].items += 1;
      authors[known.info.author].bytes += ItemTable::cost(known);
      total.items += 1;
      total.bytes += ItemTable::cost(known);
      expired += known.live(wall_from_ms(50)) ? 0 : 1;
    }
    CHECK(table.total() == total);
    for (const auto& [author, usage] : authors) {
      CHECK(table.of_author(ItemKind::author_item, author) == usage);
    }
    CHECK(table.expired(wall_from_ms(50), 10'000).size() == expired);
    CHECK(table.expired(wall_from_ms(50), 3).size() == std::min<std::size_t>(3, expired));
  }
}

TEST_CASE("the spans of an arc hold exactly its places") {
  Rng rng(5);
  for (int round = 0; round < 500; ++round) {
    Arc arc = test::some_arc(rng, round);
    for (int i = 0; i < 20; ++i) {
      Id x;
      rng.fill(x.bytes);
      if (i % 4 == 0) x = arc.upto;
      if (i % 4 == 1) x = arc.after.plus_power(i % 160);
      if (i % 8 == 2) x = arc.after;
      int holding = 0;
      for (const Span& span : spans_of(arc))
        holding += span.contains({x, ItemKind::author_item, at(1)}) ? 1 : 0;
      CHECK(holding == (arc.contains(x) ? 1 : 0));
    }
  }
}

TEST_CASE("sums keep up with what comes, changes, goes and expires, as adding up afresh would") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    ItemTable table;
    std::int64_t clock = 0;
    auto below = [&](std::uint64_t n) { return static_cast<unsigned>(rng.below(n)); };
    for (int round = 0; round < 4000; ++round) {
      Item it = item(at(below(64) * 4, below(2)), below(12), rng.below(5), clock + below(200));
      rng.chance(0.7) ? table.put(it) : void(table.erase(it.key));
      if (rng.chance(0.02)) clock += below(60);
      if (rng.chance(0.005)) clock -= below(100);  // somebody sets the clock back
      if (round % 20 != 0) continue;
      Arc arc = test::some_arc(rng, round / 20);
      WallTime now = wall_from_ms(clock);
      CHECK(test::sum_of(table, arc, now) == test::sum_afresh(table, arc, now));
    }
  }
}

TEST_CASE(
    "the sum of an arc changes with its live items, not with others and not with their order") {
  ItemTable a, b;
  for (unsigned i = 0; i < 200; ++i) {
    a.put(item(at(i), i));
    b.put(item(at(199 - i), 199 - i));
  }
  Arc arc{.after = at(10), .upto = at(5)};
  WallTime now = wall_from_ms(500);
  auto same = [&] { return test::sum_of(a, arc, now) == test::sum_of(b, arc, now); };
  CHECK(same());
  b.put(item(at(200), 1, 1, 400));  // expired
  b.put(item(at(8), 1));            // outside the arc
  CHECK(same());
  b.put(item(at(77), 77, 2));
  CHECK(!same());
  a.put(item(at(77), 77, 2));
  CHECK(same());
  a.erase(item(at(80), 80).key);
  CHECK(!same());
}

TEST_CASE(
    "the items of one ring key and kind are visited in order of their sub ids, and no others") {
  ItemTable table;
  for (unsigned sub : {3u, 1u, 2u}) table.put(item(at(9), sub));
  table.put(item(at(9, 1), 1));
  Item other = item(at(9), 7);
  other.key.kind = ItemKind::index_item;
  table.put(other);
  std::vector<Id> seen;
  table.each_at(at(9), ItemKind::author_item, [&](const Item& it) {
    seen.push_back(it.key.sub);
    return true;
  });
  CHECK(seen == std::vector<Id>{at(1), at(2), at(3)});
}

TEST_CASE("what items are said to take of memory is what they take, with their rows in the index") {
  struct Rows : ItemListener {
    std::map<Id, IndexRows> keys{};
    void item_changed(const Item*, const Item* after) override {
      keys[after->key.ring].put({.owner = after->key.sub, .filter = filters::BitArray(512)});
    }
  };
  for (std::size_t owners_per_key : {1u, 50u}) {
    CAPTURE(owners_per_key);
    Rows rows;
    ItemTable table;
    table.listen(ItemKind::index_item, rows);
    Rng rng(3);
    auto before = mallinfo2().uordblks;
    for (std::size_t n = 0; n < 20'000; ++n) {
      Item made{.bytes = Bytes(240)};
      rng.fill(made.key.sub.bytes);
      made.key.kind = ItemKind::index_item;
      made.key.ring = at(static_cast<unsigned>(n / owners_per_key / 256),
                         static_cast<unsigned>(n / owners_per_key % 256));
      made.key.ring.bytes[7] = static_cast<std::uint8_t>(n / owners_per_key / 65536);
      made.info = {.sub = made.key.sub, .author = made.key.sub};
      made.info.expiry = wall_from_ms(static_cast<std::int64_t>(n));
      table.put(std::move(made));
    }
    auto taken = static_cast<double>(mallinfo2().uordblks - before);
    if (taken == 0) return;  // a sanitizer's own allocator does not tell
    double said = static_cast<double>(ItemTable::footprint(table.total()));
    CAPTURE(taken / 20'000);
    CHECK(said > 0.8 * taken);
    CHECK(said < 1.4 * taken);
  }
}
