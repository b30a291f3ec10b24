// SPDX-License-Identifier: MIT
#include "node/service/items/neighbourhood.h"

#include <doctest/doctest.h>

#include "tests/node/service/items/ring_of_replicas.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("service/neighbourhood");

namespace {

using Ids = std::vector<Id>;

Id at(std::uint8_t n) {
  Id out;
  out.bytes[0] = n;
  return out;
}

/// Node 100 with predecessors 90, 80, 70 and 60.
Neighbourhood sample() {
  Neighbourhood out(at(100), 4);
  CHECK(out.set_predecessor(at(90)));
  CHECK(out.learn(at(90), {at(80), at(70), at(60), at(50)}));
  return out;
}

}  // namespace

TEST_CASE("the chain is learnt from the predecessor alone") {
  Neighbourhood n(at(100), 4);
  CHECK_FALSE(n.learn(at(90), {at(80)}));  // nobody is known yet
  CHECK(n.chain().empty());
  CHECK(n.set_predecessor(at(90)));
  for (std::uint8_t other : Bytes{80, 91, 100, 110}) {
    CAPTURE(other);
    CHECK_FALSE(n.learn(at(other), {at(95), at(70)}));
    CHECK(n.chain() == Ids{at(90)});
  }
  CHECK(n.learn(at(90), {at(80), at(70)}));
  CHECK(n.chain() == Ids{at(90), at(80), at(70)});
  CHECK_FALSE(n.learn(at(90), {at(80), at(70)}));  // no news
}

TEST_CASE("the chain is as deep as asked for and ends where the order round the ring would break") {
  CHECK(sample().chain() == Ids{at(90), at(80), at(70), at(60)});
  struct Case {
    Ids told, kept;
  };
  for (const Case& c : {Case{{at(80), at(85), at(70)}, {at(90), at(80)}},
                        {{at(95)}, {at(90)}},                   // between the two of us
                        {{at(80), at(80)}, {at(90), at(80)}},   // twice
                        {{at(80), at(100)}, {at(90), at(80)}},  // ourselves
                        {{at(80), at(200), at(150)}, {at(90), at(80), at(200), at(150)}},
                        {{}, {at(90)}}}) {
    Neighbourhood n = sample();
    CHECK(n.learn(at(90), c.told));
    CHECK(n.chain() == c.kept);
  }
}

TEST_CASE("another predecessor ends all that is known of those before it") {
  Neighbourhood n = sample();
  CHECK_FALSE(n.set_predecessor(at(90)));
  CHECK(n.chain().size() == 4);
  CHECK(n.set_predecessor(at(95)));
  CHECK(n.chain() == Ids{at(95)});
  CHECK(n.set_predecessor(std::nullopt));
  CHECK(n.chain().empty());
  CHECK_FALSE(n.set_predecessor(std::nullopt));
}

TEST_CASE("ranges begin behind a predecessor and end at the node itself, its own id included") {
  Neighbourhood n = sample();
  CHECK(n.own() == Arc{.after = at(90), .upto = at(100)});
  CHECK(n.of_predecessor() == Arc{.after = at(80), .upto = at(90)});
  CHECK(n.strays(3) == Arc{.after = at(100), .upto = at(70)});
  CHECK(n.strays(4) == Arc{.after = at(100), .upto = at(60)});
  CHECK_FALSE(n.strays(5));
  struct Case {
    std::uint8_t key;
    std::size_t first;  // among how many first holders of the key this node is
  };
  for (auto [key, first] : {Case{100, 1}, {91, 1}, {90, 2}, {81, 2}, {80, 3}, {70, 4}, {61, 4}}) {
    CAPTURE(key);
    CHECK(n.among_first(first, at(key)));
    CHECK_FALSE(n.among_first(first - 1, at(key)));
  }
  CHECK_FALSE(n.among_first(4, at(60)));
  CHECK_FALSE(n.among_first(4, at(101)));
  CHECK(n.among_first(5, at(60)));  // the chain is too short to say no
  Neighbourhood young(at(100), 4);
  CHECK_FALSE(young.own());
  CHECK_FALSE(young.of_predecessor());
  CHECK(young.among_first(1, at(5)));
  CHECK_FALSE(young.among_first(0, at(5)));
}

TEST_CASE("what concerns a peer reaches back over as many nodes as it may hold keys of") {
  Neighbourhood n = sample();
  std::vector<chord::PeerRef> successors{{.id = at(110)}, {.id = at(120)}};
  CHECK(n.concern_of(at(110), successors, 1) == Arc{.after = at(100), .upto = at(110)});
  CHECK(n.concern_of(at(110), successors, 3) == Arc{.after = at(80), .upto = at(110)});
  CHECK(n.concern_of(at(90), successors, 2) == Arc{.after = at(70), .upto = at(90)});
  CHECK(n.concern_of(at(85), successors, 2) == Arc{.after = at(70), .upto = at(85)});
  CHECK(n.concern_of(at(90), successors, 6) == Arc{.after = at(100), .upto = at(90)});
  CHECK(n.concern_of(at(90), successors, 7) == Arc{.after = at(90), .upto = at(90)});  // all
}

TEST_CASE("a member that is not the predecessor cannot tell a node its range") {
  test::RingOfReplicas world(8, 1, {});
  world.net.run_for(2min);
  Ids ring = world.net.live();
  Id node = ring[4];
  const Neighbourhood& known = world.at(node).neighbourhood();
  Ids before = known.chain();
  REQUIRE(before == Ids{ring[3], ring[2], ring[1], ring[0]});
  for (const Id& liar : {ring[0], ring[2], ring[5], ring[7]}) {
    world.net.inject(liar, node, raw(FrameType::chain_req),
                     encode(ChainRequest{{ring[7], ring[6], ring[5]}}));
    world.net.run_for(100ms);
    CHECK(known.chain() == before);
  }
  world.net.inject(ring[3], node, raw(FrameType::chain_req), encode(ChainRequest{{ring[2]}}));
  world.net.run_for(100ms);
  CHECK(known.chain() == Ids{ring[3], ring[2]});  // the predecessor can
}

TEST_SUITE_END();
