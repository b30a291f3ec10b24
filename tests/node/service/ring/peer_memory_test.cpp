// SPDX-License-Identifier: MIT
#include "node/service/ring/peer_memory.h"

#include <doctest/doctest.h>

#include "tests/world/memory_store.h"

using namespace beckon;
using namespace beckon::service;

namespace {

chord::PeerRef peer(std::uint8_t n) {
  chord::PeerRef out{.address = "127.0.0.1:" + std::to_string(7000 + n)};
  out.id.bytes[19] = n;
  return out;
}

}  // namespace

TEST_SUITE("service/peer_memory") {
  TEST_CASE("the epoch grows by one at each start and survives it") {
    MemoryStore store;
    CHECK(*raise_epoch(store, WallTime{}) == 1);
    CHECK(*raise_epoch(store, WallTime{}) == 2);
    CHECK(*raise_epoch(store, WallTime{}) == 3);
  }

  TEST_CASE("the epoch grows even without the disk of the last start, or with a clock set back") {
    MemoryStore first, copy;
    CHECK(*raise_epoch(first, wall_from_ms(1000)) == 1000);
    CHECK(*raise_epoch(copy, wall_from_ms(1500)) == 1500);
    CHECK(*raise_epoch(first, wall_from_ms(400)) == 1001);
    CHECK(*raise_epoch(first, wall_from_ms(-400)) == 1002);
  }

  TEST_CASE("an epoch that cannot be made durable is not used") {
    MemoryStore store;
    store.fail_commit(1);
    CHECK_FALSE(raise_epoch(store, WallTime{}));
    CHECK(*raise_epoch(store, WallTime{}) == 1);
  }

  TEST_CASE("an epoch that cannot be read is an error that says what to do, and is left as it is") {
    for (const Bytes& bad : {Bytes{}, Bytes{1}, Bytes(7), Bytes(9)}) {
      CAPTURE(bad.size());
      MemoryStore store;
      REQUIRE(store.commit({{Table::meta, {'e', 'p', 'o', 'c', 'h'}, bad}}));
      auto raised = raise_epoch(store, WallTime{});
      REQUIRE_FALSE(raised);
      CHECK(raised.error().text.find("beckon up --join") != std::string::npos);
      CHECK(*store.get(Table::meta, as_bytes("epoch")) == bad);
    }
  }

  TEST_CASE("either list that cannot be read is an error, the other does not hide it") {
    for (const char* name : {"known", "passive"}) {
      CAPTURE(name);
      MemoryStore store;
      REQUIRE(store.commit(to_mutations({{peer(1)}, {peer(2)}})));
      REQUIRE(recall_peers(store));
      ByteView bytes = as_bytes(name);
      Bytes key(bytes.begin(), bytes.end());
      REQUIRE(store.commit({{Table::peers, key, Bytes{0xff}}}));
      CHECK_FALSE(recall_peers(store));
    }
  }

  TEST_CASE("of each kind 1024 peers are remembered, the first ones") {
    std::vector<chord::PeerRef> many;
    for (std::size_t i = 0; i < max_remembered + 1; ++i) {
      many.push_back(peer(static_cast<std::uint8_t>(i)));
      many.back().id.bytes[0] = static_cast<std::uint8_t>(i >> 8);
    }
    auto read = decode_peers(encode_peers(many));
    REQUIRE(read);
    REQUIRE(read->size() == max_remembered);
    CHECK(read->back() == many[max_remembered - 1]);
    Bytes bytes = encode_peers({});
    bytes[1] = static_cast<std::uint8_t>((max_remembered + 1) >> 8);
    bytes[2] = static_cast<std::uint8_t>(max_remembered + 1);
    for (const chord::PeerRef& one : many) {
      Bytes alone = encode_peers({one});
      bytes.insert(bytes.end(), alone.begin() + 3, alone.end());
    }
    CHECK_FALSE(decode_peers(bytes));
  }

  TEST_CASE("remembered peers come back as they were") {
    MemoryStore store;
    CHECK(recall_peers(store)->known.empty());
    RememberedPeers peers{{peer(1), peer(2)}, {peer(3)}};
    REQUIRE(store.commit(to_mutations(peers)));
    CHECK(*recall_peers(store) == peers);
    REQUIRE(store.commit(to_mutations({{peer(4)}, {}})));
    CHECK(*recall_peers(store) == RememberedPeers{{peer(4)}, {}});
  }

  TEST_CASE("a list on disk is read strictly") {
    Bytes good = encode_peers({peer(1), peer(2)});
    REQUIRE(decode_peers(good));
    CHECK(encode_peers(*decode_peers(good)) == good);
    for (std::size_t size = 0; size < good.size(); ++size) {
      CAPTURE(size);
      CHECK_FALSE(decode_peers(ByteView(good).first(size)));
    }
    Bytes longer = good;
    longer.push_back(0);
    CHECK_FALSE(decode_peers(longer));
    Bytes other = good;
    other[0] = 2;
    CHECK_FALSE(decode_peers(other));
    CHECK_FALSE(decode_peers(Bytes{1, 0xff, 0xff}));
  }
}
