// SPDX-License-Identifier: MIT
#include "node/service/items/replicas.h"

#include <doctest/doctest.h>

#include "tests/node/service/items/ring_of_replicas.h"

using namespace beckon;
using namespace beckon::service;
using test::Author;
using test::FakeNet;
using test::FakeNode;
using test::test_overlay;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("service/replicas");

namespace {

struct World : test::RingOfReplicas {
  explicit World(std::size_t nodes, std::uint64_t seed = 1, FakeNet::Options net_options = {})
      : RingOfReplicas(nodes, seed, net_options) {
    net.run_for(5s);
  }

  Replicas& any() { return at(net.live().front()); }

  ItemClient::Stored put(const RawItem& raw_item, std::optional<std::uint64_t> expected = {}) {
    std::optional<ItemClient::Stored> out;
    any().put({{raw_item, expected}}, [&](const auto& stored) { out = stored.at(0); });
    CHECK(net.run_until([&] { return out.has_value(); }, 120s));
    return out.value_or(ItemClient::Stored{});
  }
  Result<std::vector<Item>> get(const Author& author, const Id& from) {
    std::optional<Result<std::vector<Item>>> out;
    at(from).get(author.ring(), ItemKind::author_item, [&](auto r) { out = std::move(r); });
    CHECK(net.run_until([&] { return out.has_value(); }, 120s));
    return *out;
  }
  std::string text(const Author& author) {
    auto got = get(author, net.live().back());
    if (!got) return "error: " + got.error().text;
    auto record = decode_author_record(got->at(0).bytes, test_overlay);
    return record->tombstone ? "deleted" : std::string(as_text(record->payload));
  }
  using RingOfReplicas::holders;
  using RingOfReplicas::in_place;
  std::vector<Id> holders(const Author& author) { return holders(author.item_key()); }
  bool in_place(const Author& author) { return in_place(author.item_key()); }
};

}  // namespace

TEST_CASE("a record is stored durably on the first r nodes after its key, and read from anywhere") {
  World world(10);
  Author author(1, world.signer);
  auto stored = world.put(author.raw_item(1, world.now(), "one"));
  CHECK((stored.status == Status::ok && stored.copies == 3 && stored.safe));
  CHECK(world.in_place(author));
  for (const Id& id : world.holders(author)) {
    CHECK(world.net.node(id).disk().get(Table::items, encode(author.item_key()))->has_value());
  }
  for (const Id& id : world.net.live()) CHECK(world.get(author, id));
}

TEST_CASE("who asks for versions newer than its own is sent those and no others") {
  World world(6);
  for (std::uint64_t held : {1u, 7u}) {
    CAPTURE(held);
    Author author(held, world.signer);
    REQUIRE(world.put(author.raw_item(held, world.now(), "x")).status == Status::ok);
    Id holder = world.holders(author).front();
    auto items = [&](std::uint64_t newer_than) {
      GetRequest request{
          .ring = author.ring(), .kind = ItemKind::author_item, .newer_than = newer_than};
      std::optional<Result<Frame>> reply;
      FakeNode& asker = world.net.node(world.net.live().back());
      asker.ask(world.net.node(holder).self(), raw(FrameType::get_req), encode(request), 5s,
                [&](Result<Frame> r) { reply = std::move(r); });
      REQUIRE(world.net.run_until([&] { return reply.has_value(); }, 10s));
      REQUIRE(*reply);
      return decode<GetReply>((*reply)->body)->items.size();
    };
    CHECK(items(0) == 1);
    CHECK(items(held - 1) == 1);
    CHECK(items(held) == 0);
    CHECK(items(held + 1) == 0);
  }
}

TEST_CASE("of a list a node wants what is newer than its own, and offers what is older") {
  World world(3);
  world.net.run_for(30s);
  Author author(1, world.signer);
  REQUIRE(world.put(author.raw_item(5, world.now(), "five")).safe);
  auto near = world.net.true_replicas(author.ring(), 2);
  ItemStamp held = item_stamp(*world.at(near[0]).table().find(author.item_key()));
  ItemStamp older = held, newer = held, unknown = held;
  older.seq -= 1;
  newer.seq += 1;
  ++unknown.key.sub.bytes.back();
  struct Case {
    ItemStamp listed;
    std::size_t wanted, offered;
  };
  for (const Case& c :
       {Case{held, 0, 0}, Case{older, 0, 1}, Case{newer, 1, 0}, Case{unknown, 1, 1}}) {
    CAPTURE(c.listed.seq);
    ListRequest list{.span = {ItemKey{}, highest_key()}, .offer = true, .entries = {c.listed}};
    std::optional<Result<Frame>> reply;
    world.net.node(near[1]).ask(world.net.node(near[0]).self(), raw(FrameType::sync_list_req),
                                encode(list), 5s, [&](Result<Frame> r) { reply = std::move(r); });
    REQUIRE(world.net.run_until([&] { return reply.has_value(); }, 10s));
    REQUIRE(*reply);
    auto answer = decode<ListReply>((*reply)->body);
    CHECK(answer->wanted.size() == c.wanted);
    CHECK(answer->offered.size() == c.offered);
  }
}

TEST_CASE("in a ring smaller than r all nodes hold the record and that is called safe") {
  for (std::size_t nodes : {1u, 2u}) {
    World world(nodes);
    Author author(1, world.signer);
    auto stored = world.put(author.raw_item(1, world.now(), "one"));
    CHECK((stored.status == Status::ok && stored.copies == nodes && stored.safe));
    CHECK(world.text(author) == "one");
  }
}

TEST_CASE("the newest version wins, older ones and mismatched expectations are refused") {
  World world(6);
  Author author(1, world.signer);
  REQUIRE(world.put(author.raw_item(5, world.now(), "five")).safe);
  auto old = world.put(author.raw_item(4, world.now(), "four"));
  CHECK((old.status == Status::too_old && old.seq == 5));
  CHECK(world.put(author.raw_item(6, world.now(), "six"), 4).status == Status::cas_mismatch);
  CHECK(world.put(author.raw_item(6, world.now(), "six"), 5).safe);
  CHECK(world.text(author) == "six");
  CHECK(world.put(author.raw_item(6, world.now(), "six")).safe);  // again: nothing to do
}

TEST_CASE("a deleted record stays deleted, also when an old version is replayed") {
  World world(6);
  Author author(1, world.signer);
  AuthorItem record = author.record(5, world.now(), "five");
  REQUIRE(world.put(author.raw_item(record)).safe);
  AuthorItem grave = tombstone_for(record, 6, world.now());
  REQUIRE(world.put(author.raw_item(grave)).safe);
  CHECK(world.text(author) == "deleted");
  Bytes replay = encode(ReplicateRequest{{author.raw_item(record)}});
  for (const Id& to : world.net.live()) {
    world.net.inject(world.net.live().front(), to, raw(FrameType::replicate_req), replay);
  }
  world.net.run_for(200s);
  CHECK(world.text(author) == "deleted");
}

TEST_CASE("many records go to their owners in few requests") {
  World world(8);
  std::vector<Author> authors;
  std::vector<ItemClient::PutEntry> entries;
  for (std::uint64_t i = 0; i < 300; ++i) {
    authors.emplace_back(i, world.signer);
    entries.push_back({authors.back().raw_item(1, world.now(), "x"), {}});
  }
  std::size_t puts = 0;
  world.net.tap = [&](const Id&, const Id&, std::uint8_t type, const Bytes&) {
    puts += type == raw(FrameType::put_req) ? 1 : 0;
  };
  std::optional<std::vector<ItemClient::Stored>> out;
  world.any().put(entries, [&](auto stored) { out = std::move(stored); });
  REQUIRE(world.net.run_until([&] { return out.has_value(); }, 60s));
  CHECK(std::ranges::all_of(*out, [](const auto& s) { return s.safe; }));
  CHECK(puts <= 9);  // one per owner, and one owner's share is the node's own
  for (const Author& author : authors) CHECK(world.in_place(author));
}

TEST_CASE("a put that passed the owner by is called safe only once the owner has the item") {
  for (bool owner_answers : {true, false}) {
    CAPTURE(owner_answers);
    World world(8);
    world.net.run_for(30s);
    Author author(1, world.signer);
    auto near = world.net.true_replicas(author.ring(), 3);
    if (!owner_answers)
      world.net.node(near[0]).on(raw(FrameType::replicate_req), [](const Request&) {});
    std::optional<PutReply> reply;
    bool at_owner = false;
    world.net.tap = [&](const Id& from, const Id&, std::uint8_t type, const Bytes& body) {
      if (from != near[1] || type != raw(FrameType::put_rep)) return;
      reply = *decode<PutReply>(body);
      at_owner = world.at(near[0]).table().find(author.item_key()) != nullptr;
    };
    Id writer = world.net.true_replicas(near[2].plus_power(0), 2)[1];
    Bytes put = encode(PutRequest{.entries = {{author.raw_item(1, world.now(), "one"), {}}}});
    world.net.inject(writer, near[1], raw(FrameType::put_req), put);
    REQUIRE(world.net.run_until([&] { return reply.has_value(); }, 20s));
    CHECK(reply->entries.at(0).status == Status::ok);
    CHECK((reply->entries.at(0).copies >= reply->wanted) == owner_answers);
    CHECK(at_owner == owner_answers);

    reply.reset();  // one place further it would be a stranger who says so
    world.net.tap = [&](const Id& from, const Id&, std::uint8_t type, const Bytes& body) {
      if (from == near[2] && type == raw(FrameType::put_rep)) reply = *decode<PutReply>(body);
    };
    Bytes again = encode(PutRequest{.entries = {{author.raw_item(2, world.now(), "two"), {}}}});
    world.net.inject(writer, near[2], raw(FrameType::put_req), again);
    REQUIRE(world.net.run_until([&] { return reply.has_value(); }, 20s));
    CHECK(reply->entries.at(0).status == Status::not_responsible);
  }
}

TEST_CASE("a dead successor is passed over: the next one takes its copy") {
  World world(8, 1, {.detect = 30s});
  world.net.run_for(60s);
  Author author(1, world.signer);
  auto replicas = world.net.true_replicas(author.ring(), 4);
  world.net.crash(replicas[1]);  // nobody has noticed yet
  auto stored = world.put(author.raw_item(1, world.now(), "one"));
  CHECK((stored.status == Status::ok && stored.copies == 3 && stored.safe));
  auto holders = world.holders(author);
  CHECK(std::ranges::find(holders, replicas[3]) != holders.end());
}

TEST_CASE("records move to nodes that join, and back when those leave") {
  World world(5);
  std::vector<Author> authors;
  for (std::uint64_t i = 0; i < 60; ++i) {
    authors.emplace_back(i, world.signer);
    REQUIRE(world.put(authors.back().raw_item(1, world.now(), "x")).safe);
  }
  auto first = world.net.add().self().id;
  auto second = world.net.add().self().id;
  world.net.start(first);
  world.net.start(second);
  world.net.run_for(4 * 60s);
  for (const Author& author : authors) CHECK(world.in_place(author));

  std::optional<bool> handed_over;
  world.at(first).leave([&](bool settled) { handed_over = settled; });
  REQUIRE(world.net.run_until([&] { return handed_over.has_value(); }, 12s));
  CHECK(*handed_over);
  world.net.crash(first);
  world.net.run_for(4 * 60s);
  for (const Author& author : authors) CHECK(world.in_place(author));
}

TEST_CASE("a node that leaves hands over all it owns, however many shares that takes") {
  test::RingOfReplicas world(5, 1, {}, {.session_share = 1024});
  world.net.run_for(5s);
  std::vector<ItemClient::PutEntry> entries;
  for (std::uint64_t i = 0; i < 300; ++i)
    entries.push_back({Author(i, world.signer).raw_item(1, world.now(), "x"), {}});
  Id leaving = world.net.live().front();
  bool stored = false;
  world.at(leaving).put(entries, [&](const auto&) { stored = true; });
  REQUIRE(world.net.run_until([&] { return stored; }, 60s));
  std::optional<bool> handed_over;
  world.at(leaving).leave([&](bool settled) { handed_over = settled; });
  REQUIRE(world.net.run_until([&] { return handed_over.has_value(); }, 12s));
  CHECK(*handed_over);
}

TEST_CASE("a node that is leaving takes no more records") {
  World world(1);
  Author author(1, world.signer);
  bool left = false;
  world.any().leave([&](bool) { left = true; });
  CHECK(world.put(author.raw_item(1, world.now(), "x")).status == Status::leaving);
  CHECK(left);
}

TEST_CASE("a node with an empty disk gets its records back") {
  World world(6);
  std::vector<Author> authors;
  for (std::uint64_t i = 0; i < 40; ++i) {
    authors.emplace_back(i, world.signer);
    REQUIRE(world.put(authors.back().raw_item(1, world.now(), "x")).safe);
  }
  for (const Id& id : world.net.ids()) {
    world.net.crash(id);
    world.net.node(id).disk().wipe();
    world.net.start(id);
    world.net.run_for(150s);
  }
  for (const Author& author : authors) CHECK(world.in_place(author));
}

TEST_CASE("records outlast a crash of every node at once, if the disks are kept") {
  World world(5);
  Author author(1, world.signer);
  REQUIRE(world.put(author.raw_item(1, world.now(), "kept")).safe);
  for (const Id& id : world.net.ids()) world.net.crash(id);
  for (const Id& id : world.net.ids()) world.net.start(id);
  world.net.run_for(5s);
  CHECK(world.text(author) == "kept");
}

TEST_CASE("a disk error is not acknowledged, and the retry succeeds") {
  World world(4);
  Author author(1, world.signer);
  Id owner = world.net.true_replicas(author.ring(), 1)[0];
  world.net.node(owner).disk().fail_commit(1);
  auto stored = world.put(author.raw_item(1, world.now(), "x"));
  CHECK(stored.safe);
  CHECK(world.net.node(owner).disk().get(Table::items, encode(author.item_key()))->has_value());
  for (const Id& id : world.net.live()) world.net.node(id).disk().limit_bytes(1);
  CHECK(world.put(author.raw_item(2, world.now(), "yy")).status == Status::storage);
  CHECK(world.text(author) == "x");
}

TEST_CASE("what the owner's own disk refuses is brought to nobody else") {
  World world(6);
  Author author(1, world.signer);
  auto near = world.net.true_replicas(author.ring(), 6);
  world.net.node(near[0]).disk().limit_bytes(1);
  std::set<Id> asked;
  std::optional<PutReply> reply;
  world.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes& body) {
    if (from == near[0] && type == raw(FrameType::replicate_req)) asked.insert(to);
    if (from == near[0] && type == raw(FrameType::put_rep)) reply = *decode<PutReply>(body);
  };
  world.net.inject(near[4], near[0], raw(FrameType::put_req),
                   encode(PutRequest{{{author.raw_item(1, world.now(), "x"), {}}}}));
  REQUIRE(world.net.run_until([&] { return reply.has_value(); }, 10s));
  CHECK(reply->entries.at(0).status == Status::storage);
  CHECK(asked == std::set{near[1], near[2]});  // both before the disk had spoken
}

TEST_CASE("a record is gone when its time is over, from memory and from disk") {
  World world(4);
  Author author(1, world.signer);
  AuthorItem record = author.record(1, world.now(), "x");
  record.life = 100s;
  REQUIRE(world.put(author.raw_item(record)).safe);
  world.net.run_for(105s);
  CHECK(world.text(author) == "error: not found");
  world.net.run_for(20s);
  CHECK(world.holders(author).empty());
  for (const Id& id : world.net.live()) CHECK(world.net.node(id).disk().bytes() == 0);
}

TEST_CASE("a read survives any r-1 silent or lying replicas, and never goes back in time") {
  World world(7);
  Author author(1, world.signer);
  REQUIRE(world.put(author.raw_item(1, world.now(), "one")).safe);
  auto before = world.net.node(world.net.true_replicas(author.ring(), 1)[0]).disk().snapshot();
  REQUIRE(world.put(author.raw_item(2, world.now(), "two")).safe);
  CHECK(world.text(author) == "two");
  auto replicas = world.net.true_replicas(author.ring(), 3);
  // The owner rolls back to an older disk: the reader has seen better and asks on.
  world.options.sync_period = 10000s;
  world.options.sync_soon = 10000s;
  world.net.crash(replicas[0]);
  world.net.node(replicas[0]).disk().restore(before);
  world.net.start(replicas[0]);
  CHECK(world.text(author) == "two");
  // Two of three withhold everything.
  for (std::size_t i = 0; i < 2; ++i) {
    world.net.node(replicas[i]).on(raw(FrameType::get_req), [&, i](const Request& request) {
      world.net.node(replicas[i]).reply(request, raw(FrameType::get_rep), encode(GetReply{}));
    });
  }
  CHECK(world.text(author) == "two");
}

TEST_CASE("a read that nobody answers begins again for a while, one that is answered does not") {
  World world(5);
  Author author(1, world.signer);
  REQUIRE(world.put(author.raw_item(1, world.now(), "one")).safe);
  Time ready = world.net.time() + 1s;
  std::size_t asked = 0;
  for (const Id& id : world.net.live()) {
    world.net.node(id).on(raw(FrameType::get_req), [&, id](const Request& request) {
      ++asked;
      if (world.net.time() >= ready) return world.at(id).handle(request);
      world.net.node(id).refuse(request, to_error(Status::unavailable));
    });
  }
  CHECK(world.text(author) == "one");
  CHECK(asked > 3);

  ready = Time::max();
  Time begin = world.net.time();
  auto never = world.get(author, world.net.live().back());
  REQUIRE(!never);
  CHECK(never.error().code == ErrorCode::unavailable);
  CHECK(world.net.time() - begin >= world.options.get_patience);
  CHECK(world.net.time() - begin < world.options.get_patience + 1s);

  ready = world.net.time();
  asked = 0;
  auto nothing = world.get(Author(2, world.signer), world.net.live().back());
  REQUIRE(!nothing);
  CHECK(nothing.error().code == ErrorCode::not_found);
  CHECK(asked == 3);
}

TEST_CASE("forged and misplaced records are refused everywhere") {
  World world(8);
  Author author(1, world.signer);
  RawItem forged = author.raw_item(1, world.now(), "x");
  forged.bytes.back() ^= 1;
  CHECK(world.put(forged).status == Status::bad_signature);
  RawItem moved = author.raw_item(1, world.now(), "x");
  moved.ring = Author(2, world.signer).ring();
  CHECK(world.put(moved).status == Status::wrong_key);

  // Straight to a node far from the key, as a hostile peer would.
  RawItem good = author.raw_item(1, world.now(), "x");
  world.net.run_for(30s);
  auto near = world.net.true_replicas(author.ring(), 4);
  for (const Id& to : world.net.live()) {
    world.net.inject(world.net.live().front(), to, raw(FrameType::replicate_req),
                     encode(ReplicateRequest{{good}}));
  }
  world.net.run_for(1s);
  std::ranges::sort(near);
  CHECK(world.holders(author) == near);  // first r, and one of slack
  world.net.run_for(150s);
  CHECK(world.in_place(author));
}

TEST_CASE("quotas hold: per author, per node, per peer, and honest records stay") {
  World world(3);
  world.net.crash(world.net.live()[2]);
  world.net.crash(world.net.live()[1]);
  Author honest(1, world.signer);
  REQUIRE(world.put(honest.raw_item(1, world.now(), "honest")).safe);

  Author greedy(2, world.signer);
  int taken = 0;
  for (std::uint8_t topic = 0; topic < 30; ++topic) {
    AuthorItem record = greedy.record(1, world.now(), "x");
    record.topic = topic;
    auto status = world.put(greedy.raw_item(record)).status;
    taken += status == Status::ok ? 1 : 0;
    CHECK((status == Status::ok || status == Status::quota));
  }
  CHECK(taken == 16);
  CHECK(world.text(honest) == "honest");
}

TEST_CASE("a flood is limited by rate and by total, and leaves what was stored alone") {
  World world(0);
  world.options.max_bytes = 100'000;
  Id id = world.net.add().self().id;
  Id flooder = world.net.add().self().id;
  world.net.start(id);
  world.net.run_for(1s);
  Author honest(1, world.signer);
  REQUIRE(world.put(honest.raw_item(1, world.now(), "honest")).safe);
  Author hungry(2, world.signer);
  for (std::uint64_t n = 0; n < 5000; ++n) {
    Author author(100 + n, world.signer);
    PutRequest put{{{author.raw_item(1, world.now(), std::string(100, 'x')), {}}}};
    world.net.start(flooder);
    world.net.inject(flooder, id, raw(FrameType::put_req), encode(put));
    world.net.crash(flooder);
    world.net.run_for(30ms);
    CHECK(ItemTable::footprint(world.at(id).table().total()) <= 100'000);
  }
  CHECK(world.text(honest) == "honest");
  CHECK(world.at(id).counters().refused > 4000);
}

TEST_CASE("items in the range push out strays when the node is full, never the other way") {
  World world(0);
  std::size_t each =
      ItemTable::cost(Item{.bytes = Author(1, world.signer).raw_item(1, {}, "x").bytes});
  world.options.max_bytes = ItemTable::footprint({.items = 6, .bytes = 6 * each});
  world.options.sync_period = 100'000s;
  for (int i = 0; i < 12; ++i) world.net.start(world.net.add().self().id);
  world.net.run_for(30s);  // until everybody knows its neighbourhood
  Id id = world.net.live()[5];
  const Replicas& node = world.at(id);
  REQUIRE(node.neighbourhood().chain().size() == 4);
  std::vector<Author> inside, slack;
  for (std::uint64_t n = 0; inside.size() < 8 || slack.size() < 8; ++n) {
    Author author(n, world.signer);
    bool replica = node.neighbourhood().among_first(3, author.ring());
    if (replica) inside.push_back(author);
    if (!replica && node.neighbourhood().among_first(4, author.ring())) slack.push_back(author);
  }
  std::size_t from = 0;
  auto offer = [&](const Author& author) {
    from = (from + 1) % 3;  // neighbours in turn: one alone may fill the half only
    world.net.inject(world.net.live()[6 + from], id, raw(FrameType::replicate_req),
                     encode(ReplicateRequest{{author.raw_item(1, world.now(), "x")}}));
    world.net.run_for(100ms);
    return node.table().find(author.item_key()) != nullptr;
  };
  for (std::size_t i = 0; i < 6; ++i) CHECK(offer(slack[i]));
  CHECK(!offer(slack[6]));
  RawItem forged = inside[7].raw_item(1, world.now(), "x");
  forged.bytes.back() ^= 1;
  world.net.inject(world.net.live()[6], id, raw(FrameType::replicate_req),
                   encode(ReplicateRequest{{forged}}));
  world.net.run_for(100ms);
  CHECK(node.table().total().items == 6);  // a forgery pushes out nothing
  CHECK(node.counters().forged == 1);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(offer(inside[i]));
    CHECK(node.table().total().items == 6);
  }
  CHECK(!offer(inside[6]));  // what is in its place stays
  CHECK(node.counters().full == 2);
  CHECK(!offer(slack[7]));
  CHECK(node.counters().evicted == 6);
  CHECK(world.net.node(id).disk().snapshot()[Table::items].size() == 6);
}

TEST_CASE("copies that the disks of others refuse are not counted") {
  World world(4);
  Author author(1, world.signer);
  auto replicas = world.net.true_replicas(author.ring(), 4);
  for (std::size_t i = 1; i < 4; ++i) world.net.node(replicas[i]).disk().limit_bytes(1);
  auto stored = world.put(author.raw_item(1, world.now(), "x"));
  CHECK((stored.status == Status::ok && stored.copies == 1 && !stored.safe));
}

TEST_CASE("an old version that comes while a newer one is being written does not overwrite it") {
  World world(3);
  Author author(1, world.signer);
  Id to = world.net.true_replicas(author.ring(), 1)[0];
  Id from = world.net.true_replicas(author.ring(), 2)[1];
  world.net.options().min_delay = world.net.options().max_delay;
  world.net.options().min_write = world.net.options().max_write = 50ms;
  for (std::uint64_t seq : {5u, 4u, 5u}) {
    world.net.inject(from, to, raw(FrameType::replicate_req),
                     encode(ReplicateRequest{{author.raw_item(seq, world.now(), "x")}}));
  }
  world.net.run_for(500ms);
  auto row = world.net.node(to).disk().get(Table::items, encode(author.item_key()));
  CHECK(decode_row(encode(author.item_key()), **row, world.book)->info.seq == 5);
  CHECK(world.at(to).table().find(author.item_key())->info.seq == 5);
}

TEST_CASE("a peer that puts quickly leaves no timers behind") {
  World world(5);
  Id id = world.net.live()[2];
  std::size_t before = world.net.node(id).timers();
  for (std::uint64_t i = 0; i < 500; ++i) {
    PutRequest put;
    if (i % 2 == 0)
      put.entries = {{.raw_item = Author(i, world.signer).raw_item(1, world.now(), "x")}};
    world.net.inject(world.net.live().front(), id, raw(FrameType::put_req), encode(put));
    world.net.run_for(5ms);
  }
  world.net.run_for(1s);
  CHECK(world.net.node(id).timers() <= before + 2);
}

TEST_CASE("a peer that asks for digests without end is refused after a while") {
  World world(5);
  Id id = world.net.live()[2];
  std::size_t answered = 0;
  world.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes&) {
    bool answer = from == id && to == world.net.live().front();
    if (answer && type == raw(FrameType::sync_digest_rep)) ++answered;
  };
  DigestRequest all{{{{{}, highest_key()}, {}}}};
  for (int i = 0; i < 1000; ++i) {
    world.net.inject(world.net.live().front(), id, raw(FrameType::sync_digest_req), encode(all));
    world.net.run_for(1ms);
  }
  world.net.run_for(1s);
  CHECK(answered > 50);
  CHECK(answered < 500);
}

TEST_CASE("a comparison moves what differs, and little else") {
  World world(3);
  std::vector<ItemClient::PutEntry> entries;
  for (std::uint64_t i = 0; i < 2000; ++i)
    entries.push_back({Author(i, world.signer).raw_item(1, world.now(), "x"), {}});
  bool stored = false;
  world.any().put(entries, [&](const auto&) { stored = true; });
  REQUIRE(world.net.run_until([&] { return stored; }, 60s));
  world.net.run_for(120s);
  auto moved_in = [&](Duration time) {
    auto moved = [&] {
      std::uint64_t sum = 0;
      for (const Id& id : world.net.live()) sum += world.at(id).sync().bytes_moved();
      return sum;
    };
    auto before = moved();
    world.net.run_for(time);
    return moved() - before;
  };
  std::uint64_t idle = moved_in(300s);  // about 5 periods, 3 nodes, 3 comparisons each
  CHECK(idle > 0);
  CHECK(idle < 45 * 1700);
  Author changed(7, world.signer);
  Id at = world.net.live()[1];
  world.net.inject(world.net.live()[0], at, raw(FrameType::replicate_req),
                   encode(ReplicateRequest{{changed.raw_item(2, world.now(), "y")}}));
  std::uint64_t busy = moved_in(300s);
  for (const Id& id : world.net.live())
    CHECK(world.at(id).table().find(changed.item_key())->info.seq == 2);
  CHECK(busy < idle + 40'000);  // lists of all would be three times as much for each pair
}

TEST_CASE("a stray is kept until all who should hold it do") {
  World world(8);
  world.net.run_for(30s);
  Author author(1, world.signer);
  auto near = world.net.true_replicas(author.ring(), 4);
  world.net.node(near[1]).disk().limit_bytes(1);  // one of its homes cannot store it
  world.net.inject(near[0], near[3], raw(FrameType::replicate_req),
                   encode(ReplicateRequest{{author.raw_item(1, world.now(), "x")}}));
  world.net.run_for(300s);
  auto holders = world.holders(author);
  CHECK(std::ranges::find(holders, near[3]) != holders.end());
  world.net.node(near[1]).disk().limit_bytes(SIZE_MAX);
  world.net.run_for(300s);
  CHECK(world.in_place(author));
}

TEST_CASE("the same seed gives the same history") {
  auto history = [](std::uint64_t seed) {
    World world(6, seed, {.detect = 2s, .loss = 0.05});
    Bytes all;
    world.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes& body) {
      all.insert(all.end(), from.bytes.begin(), from.bytes.end());
      all.insert(all.end(), to.bytes.begin(), to.bytes.end());
      all.push_back(type);
      all.insert(all.end(), body.begin(), body.end());
    };
    for (std::uint64_t i = 0; i < 10; ++i) {
      Author author(i, world.signer);
      world.put(author.raw_item(1, world.now(), "x"));
    }
    world.net.crash(world.net.live()[2]);
    world.net.run_for(100s);
    return sha256(all);
  };
  CHECK(history(5) == history(5));
  CHECK(history(5) != history(6));
}
