// SPDX-License-Identifier: MIT
// What one node keeps: how much of it, and what it finds on its disk when it starts.
#include "node/service/items/item_holder.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/world/authors.h"
#include "tests/world/fake_net.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::Author;
using test::FakeNode;

TEST_SUITE_BEGIN("service/item_holder");

namespace {

using Statuses = std::vector<Status>;

/// One node with a disk, and the items it holds.
struct House {
  struct Part {
    Part(FakeNode& node, const RuleBook& book, const ReplicaOptions& options)
        : neighbourhood(node.self().id, 4), holder(node, book, neighbourhood, options) {
      holder.load();
    }
    Neighbourhood neighbourhood;
    ItemHolder holder;
  };

  explicit House(ReplicaOptions replica_options = {}) : options(replica_options) {
    book.add(rules);
    net.start(id);
  }
  ItemHolder& holder() { return net.node(id).component<Part>().holder; }
  MemoryStore& disk() { return net.node(id).disk(); }
  WallTime now() { return net.node(id).now().wall; }
  std::size_t rows() { return disk().snapshot()[Table::items].size(); }

  RawItem raw_item(std::uint64_t author, std::size_t payload = 1, std::uint8_t topic = 1,
                   std::chrono::seconds life = 24h) {
    Author who(author, signer);
    AuthorItem record = who.record(1, now(), std::string(payload, 'x'));
    record.topic = topic;
    record.life = life;
    return who.raw_item(record);
  }
  static std::size_t cost(const RawItem& raw_item) { return raw_item.bytes.size() + ItemKey::size; }

  /// What is said at once of each raw_item; nothing is durable before settle().
  Statuses take(const std::vector<RawItem>& raw_items, std::optional<Source> source = {}) {
    std::vector<ItemHolder::Offer> offers;
    for (const RawItem& p : raw_items) offers.push_back({.raw_item = p, .source = source});
    return holder().take(std::move(offers), ItemHolder::Intake::copy, [](const auto&) {});
  }
  void settle() { net.run_for(100ms); }
  std::size_t warned(std::string_view part) {
    const auto& lines = net.node(id).logged;
    return static_cast<std::size_t>(std::ranges::count_if(lines, [&](const LogLine& line) {
      return line.level == LogLevel::warning && to_text(line).find(part) != std::string::npos;
    }));
  }

  test::FastSigner signer{};
  AuthorItemRules rules{test::test_overlay, signer};
  RuleBook book{};
  ReplicaOptions options;
  test::FakeNet net{
      1, {}, [this](FakeNode& node) { return std::make_shared<Part>(node, book, options); }};
  Id id = net.add().self().id;
};

std::vector<RawItem> of_one_author(House& house, std::uint8_t count, std::size_t payload = 1) {
  std::vector<RawItem> out;
  for (std::uint8_t topic = 0; topic < count; ++topic)
    out.push_back(house.raw_item(1, payload, topic));
  return out;
}

std::size_t taken(const Statuses& statuses) {
  return static_cast<std::size_t>(std::ranges::count(statuses, Status::ok));
}

}  // namespace

TEST_CASE("no more than max_pending_bytes are on their way to the disk") {
  House house;
  std::vector<RawItem> four;
  for (std::uint64_t n = 1; n <= 4; ++n) four.push_back(house.raw_item(n));
  house.options.max_pending_bytes = 3 * House::cost(four[0]);
  CHECK(house.take(four) == Statuses{Status::ok, Status::ok, Status::ok, Status::rate});
  CHECK(house.take({four[3]}) == Statuses{Status::rate});
  house.settle();
  CHECK(house.take({four[3]}) == Statuses{Status::ok});
  house.settle();
  CHECK(house.rows() == 4);

  House less;  // one byte less is one item less
  less.options.max_pending_bytes = 3 * House::cost(four[0]) - 1;
  CHECK(less.take(four) == Statuses{Status::ok, Status::ok, Status::rate, Status::rate});
}

TEST_CASE("what the disk refused is no longer on its way") {
  House house;
  RawItem one = house.raw_item(1);
  house.options.max_pending_bytes = House::cost(one);
  house.disk().fail_commit(1);
  CHECK(house.take({one}) == Statuses{Status::ok});
  house.settle();
  CHECK(house.rows() == 0);
  CHECK(house.holder().table().total().items == 0);
  CHECK(house.take({one}) == Statuses{Status::ok});
  house.settle();
  CHECK(house.rows() == 1);
}

TEST_CASE("an author has its share of items, half of it for copies, on their way or held") {
  std::size_t most =
      AuthorItemRules(test::test_overlay, test::FastSigner()).limits().per_author_items;
  for (bool copied : {false, true}) {
    for (bool at_once : {false, true}) {
      CAPTURE(copied);
      CAPTURE(at_once);
      House house;
      Source source{.copied = copied, .peer = Id{{7}}};
      Statuses statuses;
      for (const RawItem& p : of_one_author(house, 20)) {
        statuses.push_back(house.take({p}, source).front());
        if (!at_once) house.settle();
      }
      CHECK(taken(statuses) == (copied ? most / 2 : most));
      CHECK(statuses.back() == Status::quota);
      CHECK(house.take({house.raw_item(2)}, source) == Statuses{Status::ok});  // another's share
    }
  }
}

TEST_CASE("an author has its share of bytes, to the last one") {
  House house;
  std::size_t most = house.rules.limits().per_author_bytes;
  std::size_t frame = House::cost(house.raw_item(1, 0));
  std::size_t whole = 60'000;
  std::vector<RawItem> full;  // as many of that size as fit, and one for what is left
  for (std::uint8_t topic = 0; (topic + 1U) * (whole + frame) <= most; ++topic)
    full.push_back(house.raw_item(1, whole, topic));
  std::size_t left = most - full.size() * (whole + frame);
  REQUIRE(left > frame + 1);
  CHECK(taken(house.take(full)) == full.size());
  CHECK(house.take({house.raw_item(1, left - frame + 1, 100)}) == Statuses{Status::quota});
  CHECK(house.take({house.raw_item(1, left - frame, 100)}) == Statuses{Status::ok});
  house.settle();
  CHECK(house.holder().table().total().bytes == most);
}

TEST_CASE("memory is filled to max_bytes and not beyond, and that is said once") {
  for (std::size_t lacking : {0U, 1U}) {
    CAPTURE(lacking);
    House house;
    RawItem a = house.raw_item(1), b = house.raw_item(2), c = house.raw_item(3);
    house.options.max_bytes =
        ItemTable::footprint({.items = 2, .bytes = 2 * House::cost(a)}) - lacking;
    CHECK(house.take({a, b}) == Statuses{Status::ok, lacking == 0 ? Status::ok : Status::full});
    house.settle();
    CHECK(house.take({c, c}) == Statuses{Status::full, Status::full});
    CHECK(house.warned("fill all the memory") == 1);
    CHECK(house.take({a}) == Statuses{Status::ok});  // what is there is there
  }
}

TEST_CASE("one writer and one holder take no more than their parts once half is used") {
  struct Case {
    bool copied;
    std::size_t parts;
  };
  for (auto [copied, parts] : {Case{false, 4}, {true, 2}}) {
    CAPTURE(copied);
    House house({.writer_parts = 4, .holder_parts = 2});
    constexpr std::size_t room = 40;
    std::size_t each = ItemTable::footprint({.items = 1, .bytes = House::cost(house.raw_item(1))});
    house.options.max_bytes = room * each;
    std::uint64_t number = 0;
    auto fill = [&](std::optional<Source> source, std::size_t count) {
      std::size_t out = 0;
      for (std::size_t i = 0; i < count; ++i) {
        out += taken(house.take({house.raw_item(++number)}, source));
        house.settle();
      }
      return out;
    };
    // Up to the half anybody takes all; from there on one more than its part is its last.
    CHECK(fill(Source{.copied = copied, .peer = Id{{7}}}, room) == room / 2 + (copied ? 1 : 0));
    CHECK(fill(Source{.copied = copied, .peer = Id{{8}}}, room) ==
          std::min(room / parts + 1, room / 2 - (copied ? 1 : 0)));
    CHECK(fill(std::nullopt, 1) == (copied ? 0 : 1));  // this node's own, while there is room
  }
}

TEST_CASE("expired items go in batches, from memory and from disk") {
  House house;
  for (std::uint64_t n = 1; n <= 5; ++n) house.take({house.raw_item(n, 1, 1, 100s)});
  house.take({house.raw_item(6, 1, 1, 200s)});
  house.settle();
  house.options.expiry_batch = 3;
  house.net.node(house.id).clock_skew = 99s;
  house.holder().drop_expired();
  house.settle();
  CHECK(house.rows() == 6);
  house.net.node(house.id).clock_skew = 101s;
  for (std::size_t left : {3U, 1U, 1U}) {
    house.holder().drop_expired();
    house.settle();
    CHECK(house.rows() == left);
    CHECK(house.holder().table().total().items == left);
  }
  CHECK(house.holder().counters().expired == 5);
}

TEST_CASE("rows that expired while the node was off are gone from its disk after the start") {
  House house;
  house.take({house.raw_item(1, 1, 1, 100s), house.raw_item(2, 1, 1, 101s), house.raw_item(3)});
  house.settle();
  REQUIRE(house.rows() == 3);
  WallTime issued = house.now() - 100ms;
  house.net.crash(house.id);
  house.net.node(house.id).clock_skew = issued + 100s - house.now();  // the first has just expired
  house.net.start(house.id);
  CHECK(house.holder().table().total().items == 2);
  house.settle();
  CHECK(house.rows() == 2);
  CHECK(house.holder().counters().damaged == 0);
  CHECK(house.warned("damaged") == 0);
  house.net.crash(house.id);
  house.net.node(house.id).clock_skew += 23h;
  house.net.start(house.id);
  CHECK(house.holder().table().total().items == 1);
}

TEST_CASE("damaged rows are dropped with a warning that counts them, the others stay") {
  using Damage = std::function<void(Bytes & key, Bytes & value)>;
  const std::vector<std::pair<const char*, Damage>> damages{
      {"another format", [](Bytes&, Bytes& value) { value[0] = 2; }},
      {"a changed check", [](Bytes&, Bytes& value) { value[1] ^= 1; }},
      {"a changed first byte", [](Bytes&, Bytes& value) { value[9] ^= 1; }},
      {"a changed last byte", [](Bytes&, Bytes& value) { value.back() ^= 1; }},
      {"a shorter value", [](Bytes&, Bytes& value) { value.pop_back(); }},
      {"an empty value", [](Bytes&, Bytes& value) { value.clear(); }},
      {"a value that ends in its check", [](Bytes&, Bytes& value) { value.resize(5); }},
      {"a longer value", [](Bytes&, Bytes& value) { value.push_back(0); }},
      {"a shorter key", [](Bytes& key, Bytes&) { key.pop_back(); }},
      {"a longer key", [](Bytes& key, Bytes&) { key.push_back(0); }},
      {"another place on the ring", [](Bytes& key, Bytes&) { key[0] ^= 1; }},
      {"an unknown kind", [](Bytes& key, Bytes&) { key[Id::size] = 99; }},
      {"another author", [](Bytes& key, Bytes&) { key.back() ^= 1; }},
  };
  for (const auto& [what, damage] : damages) {
    CAPTURE(what);
    House house;
    house.take({house.raw_item(1), house.raw_item(2), house.raw_item(3)});
    house.settle();
    house.net.crash(house.id);
    auto contents = house.disk().snapshot();
    auto& rows = contents[Table::items];
    REQUIRE(rows.size() == 3);
    auto row = rows.extract(rows.begin());
    damage(row.key(), row.mapped());
    rows.insert(std::move(row));
    house.disk().restore(contents);
    house.net.start(house.id);
    CHECK(house.holder().counters().damaged == 1);
    CHECK(house.warned("damaged items dropped; other nodes hold copies of them records=1") == 1);
    CHECK(house.holder().table().total().items == 2);
    house.settle();
    CHECK(house.rows() == 2);
  }
}

TEST_SUITE_END();
