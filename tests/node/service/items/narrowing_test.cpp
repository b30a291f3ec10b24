// SPDX-License-Identifier: MIT
#include "node/service/items/narrowing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/node/service/items/sums.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/narrowing");

namespace {

using Keys = std::set<ItemKey>;

struct Side {
  Keys keys{};
  ItemSums sums{};
  void add(const ItemKey& key) {
    auto [at, fresh] = keys.insert(key);
    if (fresh) sums.add(*at, number_of({.key = key}));
  }
};

struct Cost {
  std::size_t rounds{}, bytes{}, listed{};
  std::vector<Span> found{};
};

constexpr Narrowing::Options usual{.first_parts = 8, .next_parts = 32, .list_at_once = 64};

/// The conversation of two sides, until all that differs is found.
Cost narrow(const Side& asks, const Side& answers, const Arc& arc, Rng& rng,
            Narrowing::Options options = usual) {
  Narrowing search(arc, options);
  Cost cost;
  while (!search.done()) {
    auto sent = encode(search.ask(asks.sums, rng.next()));
    auto request = decode<DigestRequest>(sent);
    REQUIRE(request);
    ++cost.rounds;
    cost.bytes += sent.size();
    DigestReply reply;
    for (std::size_t i = 0; i < request->parts.size(); ++i) {
      const auto& [span, sum] = request->parts[i];
      if (answers.sums.over(span).sum != sum)
        reply.differing.push_back(static_cast<std::uint16_t>(i));
    }
    REQUIRE(search.answered(reply));
    for (const Span& span : search.take_found()) cost.found.push_back(span);
    REQUIRE(cost.rounds < 100);
  }
  for (const Span& span : cost.found) cost.listed += asks.sums.over(span).items;
  return cost;
}

/// Every key in the arc that one side alone has lies in a span that was found, and in one only.
void check_found(const Side& a, const Side& b, const Arc& arc, const Cost& cost) {
  Keys all = a.keys;
  all.insert(b.keys.begin(), b.keys.end());
  for (const ItemKey& key : all) {
    auto times =
        std::ranges::count_if(cost.found, [&](const Span& span) { return span.contains(key); });
    bool differs = a.keys.contains(key) != b.keys.contains(key);
    CHECK(times <= 1);
    if (!arc.contains(key.ring)) CHECK(times == 0);
    if (arc.contains(key.ring) && differs) CHECK(times == 1);
  }
}

ItemKey some_key(Rng& rng, double crowd) {
  ItemKey key{.kind = ItemKind::index_item};
  if (rng.chance(crowd)) {
    key.ring.bytes[0] = 0x40;
  } else {
    rng.fill(key.ring.bytes);
  }
  rng.fill(key.sub.bytes);
  return key;
}

void add_to_both(Side& a, Side& b, Rng& rng, int count, double crowd) {
  for (int n = 0; n < count; ++n) {
    ItemKey key = some_key(rng, crowd);
    a.add(key);
    b.add(key);
  }
}

}  // namespace

TEST_CASE("all that differs in an arc is found, whatever either side has and wherever it crowds") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Side a, b;
    double crowd = static_cast<double>(rng.below(4)) / 3;
    double both = rng.chance(0.2) ? 0 : 0.98;
    double alone = rng.real();
    for (std::uint64_t n = rng.below(3000); n > 0; --n) {
      ItemKey key = some_key(rng, crowd);
      bool shared = rng.chance(both), mine = rng.chance(alone);
      if (shared || mine) a.add(key);
      if (shared || !mine) b.add(key);
    }
    for (int turn = 0; turn < 5; ++turn) {
      Arc arc = test::some_arc(rng, turn);
      auto options = usual;
      options.whole_ids = rng.chance(0.5);
      Cost cost = narrow(a, b, arc, rng, options);
      check_found(a, b, arc, cost);
    }
  }
}

TEST_CASE("equal sides agree in one round of a few hundred bytes") {
  Rng rng(1);
  Side a, b;
  add_to_both(a, b, rng, 20'000, 0.3);
  Cost cost = narrow(a, b, Arc{}, rng);
  CHECK(cost.rounds == 1);
  CHECK(cost.bytes < 800);
  CHECK(cost.found.empty());
}

TEST_CASE("one difference among thirty thousand under one ring id makes a list of a few dozen") {
  for (bool asker_lacks : {false, true}) {
    CAPTURE(asker_lacks);
    Rng rng(1);
    Side a, b;
    add_to_both(a, b, rng, 30'000, 1);
    (asker_lacks ? b : a).add(some_key(rng, 1));
    Cost cost = narrow(a, b, Arc{}, rng);
    CHECK(cost.rounds <= 4);
    CHECK(cost.bytes < 8000);
    CHECK(cost.listed <= 64);
    check_found(a, b, Arc{}, cost);
  }
}

TEST_CASE("where one side has nothing the lists are as few as if nothing had been compared first") {
  Rng rng(1);
  Side full, empty;
  for (int n = 0; n < 30'000; ++n) full.add(some_key(rng, 0.3));
  CHECK(narrow(empty, full, Arc{}, rng).found.size() == 1);
  Cost cost = narrow(full, empty, Arc{}, rng);
  CHECK(cost.listed == 30'000);
  CHECK(cost.found.size() < 45);  // 30 would be full
  CHECK(cost.bytes < cost.listed * ItemStamp::size / 8);
}

TEST_CASE("where borders may not cut a ring id none does") {
  Rng rng(3);
  Side a, b;
  for (int n = 0; n < 5000; ++n) a.add(some_key(rng, 0.5));
  auto options = usual;
  options.whole_ids = true;
  Cost cost = narrow(a, b, Arc{}, rng, options);
  CHECK(cost.listed == 5000);
  for (const Span& span : cost.found) {
    CHECK(span.first == lowest_at(span.first.ring));
    CHECK(span.last == highest_at(span.last.ring));
  }
}

TEST_CASE("different sets with one sum do not stay unseen: the next comparison cuts elsewhere") {
  Rng rng(9);
  Side a, b;
  add_to_both(a, b, rng, 300, 1);
  // What nobody can compute for one record, but for a few hundred: a key whose number makes up for
  // another's.
  ItemKey only_a = some_key(rng, 1), only_b = some_key(rng, 1);
  a.sums.add(only_a, {.high = 1, .low = 2});
  b.sums.add(only_b, {.high = 1, .low = 2});
  CHECK(a.sums.over({{}, highest_key()}).sum == b.sums.over({{}, highest_key()}).sum);
  int seen = 0;
  for (int n = 0; n < 100; ++n) seen += narrow(a, b, Arc{}, rng).found.empty() ? 0 : 1;
  CHECK(seen > 20);
}

TEST_CASE("a first question has as many parts as lists of half the size need up to its limit") {
  struct Case {
    int items;
    std::size_t list_at_once, parts;
  };
  for (const Case& c : {Case{10, 1, 8}, Case{6, 1, 6}, Case{6, 2, 6}, Case{6, 4, 4}, Case{6, 6, 3},
                        Case{6, 12, 2}, Case{6, 100, 2}, Case{1, 1, 1}}) {
    CAPTURE(c.items);
    CAPTURE(c.list_at_once);
    Rng rng(1);
    Side a;
    for (int n = 0; n < c.items; ++n) a.add(some_key(rng, 0));
    Narrowing search(Arc{}, {.first_parts = 8, .next_parts = 8, .list_at_once = c.list_at_once});
    CHECK(search.ask(a.sums, 0).parts.size() == c.parts);
  }
}

TEST_CASE("an answer that names parts nobody asked about is refused") {
  Rng rng(1);
  Side a;
  for (int n = 0; n < 100; ++n) a.add(some_key(rng, 0));
  Narrowing search(Arc{}, usual);
  auto request = search.ask(a.sums, 0);
  auto count = static_cast<std::uint16_t>(request.parts.size());
  CHECK(!search.answered({{0, count}}));
  CHECK(search.answered({{static_cast<std::uint16_t>(count - 1)}}));
}

TEST_SUITE_END();
