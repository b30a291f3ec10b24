// SPDX-License-Identifier: MIT
#include "chord/peer_book.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;
using std::chrono::seconds;

TEST_SUITE_BEGIN("chord/peer_book");

namespace {

/// Whether a passive peer is ever picked at a moment, known ones left aside.
bool due(PeerBook& book, Time now) {
  Rng rng(3);
  return book.pick(rng, now).has_value();
}

}  // namespace

TEST_CASE("known peers beyond the limit give way to those heard later") {
  Options options;
  options.known_peers = 2;
  PeerBook book(options);
  book.add_known(peer(1), at(10));
  book.add_known(peer(2), at(20));
  book.add_known(peer(1), at(30));  // heard again
  book.add_known(peer(3), at(40));
  CHECK(book.known() == peers({1, 3}));
}

TEST_CASE("strangers who only call on us crowd out each other, not who answers us") {
  Options options;
  options.known_peers = 3;
  PeerBook book(options);
  for (unsigned i : {1u, 2u}) book.add_known(peer(i), at(i));
  for (unsigned i : {1u, 2u}) book.answered_us(id(i), at(5));
  for (unsigned i = 10; i < 100; ++i) book.add_known(peer(i), at(i));
  CHECK(book.known() == peers({1, 2, 99}));
}

TEST_CASE("a known peer that moved is remembered at its new address") {
  PeerBook book(Options{});
  book.add_known(peer(1), at(0));
  PeerRef moved{.id = id(1), .address = "elsewhere"};
  book.add_known(moved, at(1));
  CHECK(book.known() == std::vector{moved});
}

TEST_CASE("a silent peer is tried at doubling intervals, up to the longest") {
  Options options;
  options.passive_retry_min = seconds(1);
  options.passive_retry_max = seconds(4);
  PeerBook book(options);
  book.add_passive(peer(1), at(0));
  CHECK_FALSE(due(book, at(999)));
  CHECK(due(book, at(1000)));
  Time now = at(1000);
  for (int wait : {2, 4, 4}) {
    CAPTURE(wait);
    book.failed(peer(1), now);
    CHECK_FALSE(due(book, now + seconds(wait) - Duration(1)));
    now += seconds(wait);
    CHECK(due(book, now));
  }
}

TEST_CASE("a silent peer is forgotten when it answers, or after a week") {
  Options options;
  PeerBook book(options);
  book.add_passive(peer(1), at(0));
  book.add_passive(peer(2), at(0));
  book.answered(id(1));
  CHECK(book.passive() == peers({2}));
  book.failed(peer(2), at(0) + options.passive_forget);
  CHECK(book.passive() == peers({2}));
  book.failed(peer(2), at(1) + options.passive_forget);
  CHECK(book.passive().empty());
}

TEST_CASE(
    "silent peers beyond the limit give way, the oldest first, and keep their place in time") {
  Options options;
  options.passive_peers = 2;
  PeerBook book(options);
  book.add_passive(peer(1), at(0));
  book.add_passive(peer(2), at(1));
  book.add_passive(peer(1), at(5));  // no younger for being named again
  book.add_passive(peer(3), at(6));
  CHECK(book.passive() == peers({2, 3}));
}

TEST_CASE("probes go to silent peers and to known ones about equally often") {
  PeerBook book(Options{});
  for (unsigned i = 0; i < 50; ++i) book.add_known(peer(i), at(0));
  book.add_passive(peer(200), at(0));
  Rng rng(7);
  int passive = 0;
  for (int i = 0; i < 1000; ++i) {
    passive += book.pick(rng, at(3'600'000))->id == id(200) ? 1 : 0;
  }
  CHECK(passive > 400);
  CHECK(passive < 600);
}

TEST_CASE("several peers are picked without repeating any, as far as there are some") {
  PeerBook book(Options{});
  for (unsigned i = 0; i < 3; ++i) book.add_known(peer(i), at(0));
  book.add_passive(peer(2), at(0));
  book.add_passive(peer(9), at(0));
  Rng rng(8);
  auto some = book.pick_several(rng, 8);
  std::sort(some.begin(), some.end());
  CHECK(some == peers({0, 1, 2, 9}));
  CHECK(book.pick_several(rng, 2).size() == 2);
  CHECK_FALSE(book.pick_seed(rng));
}

TEST_SUITE_END();
