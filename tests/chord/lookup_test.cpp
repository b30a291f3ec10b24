// SPDX-License-Identifier: MIT
#include "chord/lookup.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/rng.h"
#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;

TEST_SUITE_BEGIN("chord/lookup");

namespace {

/// A ring that stands still: who lives, and who is still listed though dead.
struct StillRing {
  std::vector<unsigned> places{};  // in order, dead ones included
  std::set<unsigned> dead{};
  std::size_t length = 4;

  std::vector<PeerRef> list_of(unsigned place) const {
    auto self = std::find(places.begin(), places.end(), place) - places.begin();
    std::vector<PeerRef> out;
    for (std::size_t i = 1; i <= std::min(length, places.size() - 1); ++i) {
      out.push_back(peer(places[(static_cast<std::size_t>(self) + i) % places.size()]));
    }
    return out;
  }

  unsigned owner(unsigned key) const {
    for (unsigned step = 0; step < 256; ++step) {
      unsigned place = (key + step) % 256;
      bool there = std::find(places.begin(), places.end(), place) != places.end();
      if (there && !dead.contains(place)) return place;
    }
    return 256;
  }

  /// Answers until the lookup ends; dead peers are silent.
  Lookup::Finding run(Lookup& lookup) const {
    for (int round = 0; round < 200 && !lookup.finding(); ++round) {
      for (const Lookup::Question& q : lookup.questions()) answer(lookup, q);
    }
    REQUIRE(lookup.finding());
    return *lookup.finding();
  }

  void answer(Lookup& lookup, const Lookup::Question& q) const {
    unsigned place = q.peer.id.bytes[0];
    if (dead.contains(place)) return lookup.failed(q.peer.id, true);
    auto list = list_of(place);
    if (q.state) return lookup.state_answered(q.peer, {.mode = Mode::member, .successors = list});
    lookup.next_answered(q.peer, {.mode = Mode::member, .successors = list});
  }

  Lookup from(unsigned self, unsigned key) const {
    Options options;
    options.list_length = length;
    return Lookup(options, {.self = peer(self), .key = id(key), .own_list = list_of(self)}, at(0));
  }
};

}  // namespace

TEST_CASE(
    "a lookup finds the owner of every key from everywhere, with dead neighbours in the way") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    StillRing ring;
    std::set<unsigned> places;
    while (places.size() < 12) places.insert(static_cast<unsigned>(rng.below(256)));
    ring.places.assign(places.begin(), places.end());
    std::size_t first = rng.below(12);  // L - 1 in a row
    for (std::size_t i = 0; i < 3; ++i) ring.dead.insert(ring.places[(first + i) % 12]);
    unsigned self = ring.places[(first + 3 + rng.below(9)) % 12];
    auto key = static_cast<unsigned>(rng.below(256));
    if (key == self) continue;  // our own place is ours without a lookup
    Lookup lookup = ring.from(self, key);
    auto finding = ring.run(lookup);
    CHECK(finding.outcome == LookupOutcome::found);
    CHECK(finding.owner.id == id(ring.owner(key)));
  }
}

TEST_CASE("an answer cannot lead a lookup away from the key") {
  StillRing ring{.places = {10, 50, 90, 130}, .length = 2};
  Lookup lookup = ring.from(10, 100);
  auto first = lookup.questions();
  REQUIRE(first.size() == 1);
  REQUIRE(first[0].peer == peer(90));
  // Names peers behind itself and behind the key as nearer ones.
  lookup.next_answered(
      peer(90),
      {.mode = Mode::member, .successors = peers({130, 10}), .closer = peers({20, 60, 120})});
  auto second = lookup.questions();
  REQUIRE(second.size() == 1);
  CHECK(second[0].state);
  CHECK(second[0].peer == peer(130));
}

TEST_CASE("after the first silence three are asked at once") {
  StillRing ring{.places = {0, 200, 210, 220, 230}, .length = 4};
  Lookup lookup = ring.from(0, 240);
  auto first = lookup.questions();
  REQUIRE(first.size() == 1);
  CHECK(first[0].peer == peer(230));
  CHECK(lookup.questions().empty());
  lookup.failed(id(230), true);
  CHECK(lookup.questions().size() == 3);
}

TEST_CASE("a slow peer is asked beside another, and its answer still counts") {
  StillRing ring{.places = {0, 200, 210, 220}, .length = 3};
  Lookup lookup = ring.from(0, 230);
  REQUIRE(lookup.questions()[0].peer == peer(220));
  lookup.slow(id(220));
  auto beside = lookup.questions();
  REQUIRE(beside.size() == 1);
  CHECK(beside[0].peer == peer(210));
  ring.answer(lookup, {.peer = peer(220)});
  CHECK(ring.run(lookup).predecessor == peer(220));
}

TEST_CASE("a peer that is joining is gone round, one that leaves is asked but no owner") {
  StillRing ring{.places = {0, 100, 150, 200}, .length = 3};
  Lookup lookup = ring.from(0, 140);
  REQUIRE(lookup.questions()[0].peer == peer(100));
  lookup.next_answered(peer(100), {.mode = Mode::member, .successors = ring.list_of(100)});
  REQUIRE(lookup.questions()[0].peer == peer(150));
  lookup.state_answered(peer(150), {.mode = Mode::leaving});
  auto next = lookup.questions();
  REQUIRE(next.size() == 1);
  CHECK(next[0].peer == peer(200));
}

TEST_CASE("a peer that says it leaves is not asked again, though others still name it") {
  StillRing ring{.places = {0, 50, 100, 150, 200}, .length = 3};
  Lookup lookup = ring.from(0, 140);
  std::map<unsigned, int> asked;
  for (int round = 0; round < 20 && !lookup.finding(); ++round) {
    for (const Lookup::Question& q : lookup.questions()) {
      unsigned place = q.peer.id.bytes[0];
      ++asked[place];
      if (place == 100)
        lookup.next_answered(q.peer, {.mode = Mode::leaving, .successors = ring.list_of(100)});
      else
        ring.answer(lookup, q);
    }
  }
  REQUIRE(lookup.finding());
  CHECK(lookup.finding()->owner == peer(150));
  CHECK(lookup.finding()->predecessor != peer(100));
  CHECK(asked[100] == 1);
}

TEST_CASE("a lookup ends when nobody is left, when its requests are used up, or its time is over") {
  StillRing ring{.places = {0, 100, 200}, .dead = {100, 200}, .length = 2};
  Lookup nobody = ring.from(0, 150);
  CHECK(ring.run(nobody).outcome == LookupOutcome::ring_unreachable);

  Options two;
  two.lookup_contacts = 1;
  StillRing alive{.places = {0, 100, 200}, .length = 2};
  Lookup poor(two, {.self = peer(0), .key = id(150), .own_list = alive.list_of(0)}, at(0));
  CHECK(alive.run(poor).outcome == LookupOutcome::timed_out);
  CHECK(poor.contacts() == 1);

  Lookup late = alive.from(0, 150);
  late.give_up();
  CHECK(alive.run(late).outcome == LookupOutcome::timed_out);
}

TEST_CASE(
    "the last one of a ring that its list knew whole owns the key, not one of a longer ring") {
  StillRing ring{.places = {0, 100, 200}, .dead = {100, 200}, .length = 4};
  Lookup last = ring.from(0, 150);
  auto finding = ring.run(last);
  CHECK(finding.outcome == LookupOutcome::found);
  CHECK(finding.owner == peer(0));

  ring.dead = {100};  // somebody is left: it is the owner, dead neighbours or not
  Lookup other = ring.from(0, 150);
  CHECK(ring.run(other).owner == peer(200));

  ring = {.places = {0, 100, 200}, .dead = {100, 200}, .length = 2};
  Lookup cut_off = ring.from(0, 150);  // more may follow behind the two that are listed
  CHECK(ring.run(cut_off).outcome == LookupOutcome::ring_unreachable);
}

TEST_CASE("a lookup that begins anew has only the requests that are left") {
  StillRing ring{.places = {0, 100, 200}, .length = 2};
  Options options;
  options.lookup_contacts = 3;
  Lookup again(options,
               {.self = peer(0), .key = id(150), .own_list = ring.list_of(0), .contacts = 2},
               at(0));
  CHECK(ring.run(again).outcome == LookupOutcome::timed_out);
  CHECK(again.contacts() == 3);
}

TEST_CASE("a peer alone owns every key, and one that looks for others does not find itself") {
  Lookup alone(Options{}, {.self = peer(5), .key = id(77), .own_list = std::vector<PeerRef>{}},
               at(0));
  CHECK(alone.questions().empty());
  CHECK(alone.finding()->owner == peer(5));
  StillRing ring{.places = {5, 100}, .length = 1};
  Lookup others(Options{},
                {.self = peer(5), .key = id(5), .exclude_self = true, .start = peers({100})},
                at(0));
  auto finding = ring.run(others);
  CHECK(finding.outcome == LookupOutcome::ring_unreachable);  // 100 lists nobody but ourselves
}

TEST_SUITE_END();
