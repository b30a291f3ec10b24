// SPDX-License-Identifier: MIT
#include "chord/successor_list.h"

#include <doctest/doctest.h>

#include "base/rng.h"
#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;

TEST_SUITE_BEGIN("chord/successor_list");

TEST_CASE("a list is its head and the head's list, cut where it comes round to us") {
  SuccessorList list(id(100), 4);
  list.rebuild(peer(120), peers({140, 250, 30, 60}));
  CHECK(list.entries() == peers({120, 140, 250, 30}));
  list.rebuild(peer(250), peers({30, 100, 120}));
  CHECK(list.entries() == peers({250, 30}));
  list.rebuild(peer(250), peers({30, 110}));  // 110 would lie behind us
  CHECK(list.entries() == peers({250, 30}));
  list.rebuild(peer(250), peers({30, 30, 40}));
  CHECK(list.entries() == peers({250, 30}));
}

TEST_CASE("a list never begins with ourselves") {
  SuccessorList list(id(100), 4);
  list.rebuild(peer(100), {});
  CHECK(list.empty());
}

TEST_CASE("only a peer before the first one improves a list, and anybody an empty one") {
  SuccessorList list(id(100), 4);
  CHECK(list.improves(id(99)));
  CHECK_FALSE(list.improves(id(100)));
  list.rebuild(peer(10), {});
  CHECK(list.improves(id(101)));
  CHECK(list.improves(id(9)));
  CHECK_FALSE(list.improves(id(10)));
  CHECK_FALSE(list.improves(id(11)));
  CHECK_FALSE(list.improves(id(100)));
}

TEST_CASE("whatever a head says, the list stays in order, without us and within its length") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    unsigned self = static_cast<unsigned>(rng.below(256));
    SuccessorList list(id(self), 1 + rng.below(6));
    std::vector<PeerRef> tail;
    for (std::uint64_t i = rng.below(10); i > 0; --i) {
      tail.push_back(peer(static_cast<unsigned>(rng.below(256))));
    }
    list.rebuild(peer(static_cast<unsigned>(rng.below(256))), tail);
    CHECK(list.entries().size() <= list.capacity());
    Id before = id(self);
    for (const PeerRef& entry : list.entries()) {
      CHECK(entry.id - id(self) > before - id(self));
      before = entry.id;
    }
  }
}

TEST_SUITE_END();
