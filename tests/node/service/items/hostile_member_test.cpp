// SPDX-License-Identifier: MIT
// What a member of the ring may not do to the records that another node holds.
#include <doctest/doctest.h>

#include "tests/node/service/items/ring_of_replicas.h"

using namespace beckon;
using namespace beckon::service;
using test::Author;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("service/hostile_member");

namespace {

struct World : test::RingOfReplicas {
  explicit World(std::size_t nodes, const ReplicaOptions& replica_options = {})
      : RingOfReplicas(nodes, 1, {}, replica_options) {
    net.run_for(5s);
  }

  /// One record on each node's own stretch of the ring, so that everybody holds something.
  std::vector<Author> one_for_each() {
    std::map<Id, Author> of_owner;
    for (std::uint64_t n = 0; of_owner.size() < net.live().size(); ++n) {
      Author author(n, signer);
      of_owner.emplace(net.true_replicas(author.ring(), 1).front(), author);
    }
    std::vector<Author> out;
    std::size_t safe = 0;
    for (const auto& [owner, author] : of_owner) {
      out.push_back(author);
      at(owner).put({{author.raw_item(1, now(), "x"), {}}},
                    [&](const auto& s) { safe += s[0].safe ? 1 : 0; });
    }
    CHECK(net.run_until([&] { return safe == out.size(); }, 10s));
    net.run_for(1min);  // until everybody knows its neighbourhood
    return out;
  }

  /// Bodies of the answers that `asked` gives `asker` to one request.
  std::vector<Bytes> answers(const Id& asker, const Id& asked, FrameType type, const Bytes& body) {
    std::vector<Bytes> out;
    net.tap = [&](const Id& from, const Id& to, std::uint8_t sent, const Bytes& answer) {
      if (from == asked && to == asker && sent == raw(reply_to(type))) out.push_back(answer);
    };
    net.inject(asker, asked, raw(type), body);
    net.run_for(200ms);
    net.tap = {};
    return out;
  }

  std::vector<ItemStamp> listed(const Id& asker, const Id& asked) {
    Id end;
    end.bytes.fill(0xff);
    ListRequest all{.span = {ItemKey{}, highest_at(end)}, .offer = true};
    auto replies = answers(asker, asked, FrameType::sync_list_req, encode(all));
    if (replies.empty()) return {};
    auto reply = decode<ListReply>(replies.front());
    REQUIRE(reply);
    return reply->offered;
  }

  std::size_t fetched(const Id& asker, const Id& asked, const Author& author) {
    WantRequest want{{author.item_key()}};
    auto replies = answers(asker, asked, FrameType::sync_want_req, encode(want));
    if (replies.empty()) return 0;
    auto reply = decode<WantReply>(replies.front());
    REQUIRE(reply);
    return reply->raw_items.size();
  }

  std::size_t warnings(const Id& id, std::string_view part) {
    const auto& lines = net.node(id).logged;
    return static_cast<std::size_t>(std::ranges::count_if(lines, [&](const LogLine& line) {
      return line.level == LogLevel::warning && line.text.find(part) != std::string::npos;
    }));
  }
};

}  // namespace

TEST_CASE("what a node holds is told to its neighbours, and to no other member") {
  World world(24);
  auto authors = world.one_for_each();
  auto ring = world.net.live();
  Id asked = ring[12];
  std::map<std::size_t, std::size_t> offered;  // by distance from the one asked
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (i == 12) continue;
    auto entries = world.listed(ring[i], asked);
    for (const ItemStamp& entry : entries) {
      auto holders = world.net.true_replicas(entry.key.ring, world.options.near());
      bool concerns = std::ranges::find(holders, ring[i]) != holders.end();
      CHECK_MESSAGE(concerns, i);
    }
    std::size_t away = std::min((i + 24 - 12) % 24, (12 + 24 - i) % 24);
    offered[away] = std::max(offered[away], entries.size());
  }
  CHECK(offered[1] > 0);
  CHECK(offered[2] > 0);
  for (std::size_t away = world.options.near(); away <= 12; ++away) CHECK(offered[away] == 0);

  for (const Author& author : authors) {
    auto holders = world.holders(author.item_key());
    for (std::size_t i : {0U, 4U, 20U, 23U}) {
      auto near = world.net.true_replicas(author.ring(), world.options.near());
      bool concerns = std::ranges::find(near, ring[i]) != near.end();
      if (!concerns) CHECK(world.fetched(ring[i], holders.front(), author) == 0);
    }
    auto home = world.net.true_replicas(author.ring(), 2);
    CHECK(world.fetched(home[1], home[0], author) == 1);
  }
  CHECK(world.at(asked).refused_peers() > 10);
  CHECK(world.warnings(asked, "do not concern it") == 1);
}

TEST_CASE("sums of stretches within a ring id tell a stranger nothing of what is there") {
  World world(24);
  auto author = world.one_for_each().front();
  auto ring = world.net.live();
  ItemKey key = author.item_key();
  auto home = world.net.true_replicas(author.ring(), 24);
  const Item* held = world.at(home[0]).table().find(key);
  REQUIRE(held);
  ItemSum right = number_of(item_stamp(*held));
  auto same = [&](const Id& asker, const Span& span, const ItemSum& sum) {
    Bytes request = encode(DigestRequest{{{span, sum}}});
    auto replies = world.answers(asker, home[0], FrameType::sync_digest_req, request);
    REQUIRE(replies.size() == 1);
    return decode<DigestReply>(replies.front())->differing.empty();
  };
  Span id{lowest_at(key.ring), highest_at(key.ring)};
  Span before{id.first, key}, behind{after(key), id.last};
  for (std::size_t place : {1u, 12u}) {
    CAPTURE(place);
    bool holder = place == 1;
    CHECK(same(home[place], id, right));  // who knows what is there may hear that it is
    CHECK(!same(home[place], id, {}));
    CHECK(same(home[place], before, right) == holder);
    CHECK(same(home[place], behind, {}) == holder);
    CHECK(!same(home[place], before, {}));
  }
}

TEST_CASE("copies come no faster than the rate, from a stranger no faster than records do") {
  ReplicaOptions options;
  options.copy_rate = 10;
  options.copy_burst = 100;
  options.put_rate = 1;
  options.put_burst = 20;
  World world(24, options);
  world.net.run_for(1min);
  auto ring = world.net.live();
  Id id = ring[12];
  std::size_t before = 0;
  std::uint64_t number = 0;
  for (auto [sender, least, most] : {std::tuple(ring[11], 100, 120), std::tuple(ring[0], 20, 25)}) {
    for (int i = 0; i < 400; ++number) {
      Author author(number, world.signer);
      if (!world.at(id).neighbourhood().among_first(3, author.ring())) continue;
      ReplicateRequest copy{{author.raw_item(1, world.now(), "x")}};
      world.net.inject(sender, id, raw(FrameType::replicate_req), encode(copy));
      ++i;
    }
    world.net.run_for(1s);
    auto taken = static_cast<int>(world.at(id).table().total().items - before);
    CHECK(taken >= least);
    CHECK(taken <= most);
    before = world.at(id).table().total().items;
  }
  CHECK(world.at(id).refused_peers() > 600);
  CHECK(world.warnings(id, "copies of records than it may") == 1);
}

TEST_CASE("who sends forgeries is soon not listened to, and the others are") {
  World world(4);
  Id id = world.net.live()[1];
  Id forger = world.net.live()[2];
  Author author(1, world.signer);
  for (int i = 0; i < 3000; ++i) {
    RawItem forged = author.raw_item(static_cast<std::uint64_t>(i) + 1, world.now(), "x");
    forged.bytes.back() ^= 1;
    world.net.inject(forger, id, raw(FrameType::replicate_req), encode(ReplicateRequest{{forged}}));
    if (i % 100 == 0) world.net.run_for(10ms);
  }
  world.net.run_for(100ms);
  CHECK(world.at(id).counters().forged > 100);
  CHECK(world.at(id).counters().forged < 1100);
  ReplicateRequest honest{{author.raw_item(1, world.now(), "y")}};
  auto answers = world.answers(world.net.live()[3], id, FrameType::replicate_req, encode(honest));
  REQUIRE(answers.size() == 1);
  CHECK(decode<ReplicateReply>(answers[0])->statuses == std::vector{Status::ok});
  CHECK(world.at(id).table().find(author.item_key()) != nullptr);
}

TEST_CASE("one node alone cannot fill another's memory, as a writer or as a holder") {
  ReplicaOptions options;
  options.max_bytes = 200'000;
  options.put_burst = 100'000;
  World world(8, options);
  world.net.run_for(1min);
  auto ring = world.net.live();
  const ItemTable& table = world.at(ring[4]).table();
  std::uint64_t number = 0;
  auto send = [&](const Id& from, FrameType type, int count) {
    for (int i = 0; i < count;) {
      Author author(++number, world.signer);
      if (world.net.true_replicas(author.ring(), 1).front() != ring[4]) continue;
      ++i;
      RawItem raw_item = author.raw_item(1, world.now(), std::string(200, 'x'));
      Bytes put = encode(PutRequest{{{raw_item, {}}}});
      Bytes copy = encode(ReplicateRequest{{raw_item}});
      world.net.inject(from, ring[4], raw(type), type == FrameType::put_req ? put : copy);
      world.net.run_for(5ms);
    }
    world.net.run_for(1s);
    return ItemTable::footprint(table.total());
  };
  for (FrameType type : {FrameType::replicate_req, FrameType::put_req, FrameType::replicate_req}) {
    auto used = send(ring[3], type, 300);  // its predecessor
    CHECK(used > 90'000);
    CHECK(used < 130'000);
  }
  std::size_t before = table.total().items;
  send(ring[1], FrameType::put_req, 15);
  CHECK(table.total().items == before + 15);
}

TEST_CASE("comparing many parts costs the asker more, so that nobody keeps a node busy with it") {
  ReplicaOptions options;
  options.digest_steps = 1;  // each step as one comparison
  options.put_burst = 100'000;
  World world(4, options);
  auto ring = world.net.live();
  for (std::uint64_t n = 0; n < 300; ++n) {
    world.at(ring[1]).put({{Author(n, world.signer).raw_item(1, world.now(), "x"), {}}},
                          [](const auto&) {});
  }
  world.net.run_for(5s);
  DigestRequest parts;  // one for every record
  world.at(ring[0]).table().each(Arc{}, [&](const Item& item) {
    if (parts.parts.size() < max_digests) parts.parts.push_back({{item.key, item.key}, {}});
    return true;
  });
  REQUIRE(parts.parts.size() > 100);
  std::size_t answered = 0;
  for (int i = 0; i < 100; ++i)
    answered += world.answers(ring[2], ring[0], FrameType::sync_digest_req, encode(parts)).size();
  CHECK(answered < 20);
}

TEST_SUITE_END();
