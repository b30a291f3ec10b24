// SPDX-License-Identifier: MIT
// What others may do with a person's record once they have seen it: nothing.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "node/service/kernel/frames.h"
#include "tests/node/service/find/search_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::SearchWorld;
using Ids = std::set<UserId>;

namespace {

/// Everything the ring holds of a person, one copy of each key.
std::map<Id, Item> held(SearchWorld& w, const UserId& owner) {
  std::map<Id, Item> out;
  for (std::size_t i = 0; i < w.places.size(); ++i) {
    w.at(i).replicas.table().each(Arc{}, [&](const Item& item) {
      if (item.key.kind == ItemKind::index_item && item.key.sub == owner)
        out.insert_or_assign(item.key.ring, item);
      return true;
    });
  }
  return out;
}

RawItem at_key(const Id& key, Bytes bytes) { return {key, ItemKind::index_item, std::move(bytes)}; }

/// By all ways there are: as a writer, and as somebody who has a copy.
void bring(SearchWorld& w, const Id& from, const RawItem& raw_item) {
  for (const Id& to : w.net.true_replicas(raw_item.ring, 3)) {
    w.net.inject(from, to, raw(FrameType::put_req), encode(PutRequest{{{raw_item, {}}}}));
    w.net.inject(from, to, raw(FrameType::replicate_req), encode(ReplicateRequest{{raw_item}}));
  }
}

void change(SearchWorld& w, std::size_t node, const UserId& id, const std::string& profile) {
  User user = *w.at(node).users.find(id);
  user.profile = hosted(w.schema, profile);
  REQUIRE(w.at(node).users.change(user, [](const Result<void>&) {}));
}

}  // namespace

TEST_SUITE_BEGIN("service/hostile_index");

TEST_CASE("nobody but its host can put a record under more keys, so its owner's quota stays free") {
  SearchWorld w(6);
  UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  auto before = held(w, alice);
  Bytes record = before.begin()->second.bytes;
  Id thief = w.places[3];
  auto flood = [&](FrameType type) {
    Rng rng(5);
    for (int i = 0; i < 3000; ++i) {
      RawItem raw_item = at_key({}, record);
      rng.fill(raw_item.ring.bytes);
      for (const Id& to : w.net.true_replicas(raw_item.ring, 1)) {
        Bytes put = encode(PutRequest{{{raw_item, {}}}});
        Bytes copy = encode(ReplicateRequest{{raw_item}});
        if (to == thief) continue;
        w.net.inject(thief, to, raw(type), type == FrameType::put_req ? put : copy);
      }
      if (i % 50 == 0) w.net.run_for(1s);
    }
    w.net.run_for(1s);
  };
  flood(FrameType::put_req);
  CHECK(held(w, alice).size() == before.size());
  CHECK(w.publish_again(0, alice));

  flood(FrameType::replicate_req);  // as if it held them, which a neighbour may
  change(w, 0, alice, R"({"name":"Alice","hobby":["go","shogi","draughts"]})");
  w.publish_again(0, alice);
  CHECK(w.find(5, "hobby=go").verified == Ids{alice});
  CHECK(w.find(5, "hobby=shogi").verified == Ids{alice});
}

TEST_CASE("who asks questions that are much work is refused sooner") {
  SearchWorld w(6);
  for (int i = 0; i < 40; ++i) w.publish(0, R"({"age":24})");
  auto branch = profile::parse_query(w.schema, "age=24")->branches[0];
  auto probe = profile::accesses(w.schema, {}, branch).front().probes.front();
  QueryRequest plain{.key = Id{probe.key}, .wanted = probe.wanted, .credit = 16};
  plain.predicates = profile::blind(w.schema, {}, branch);
  QueryRequest dear = plain;
  auto age = std::get<profile::NumberTest>(dear.predicates[0].any[0]);
  dear.predicates[0].any.assign(60, profile::NumberTest{age.seed, 60, 100});  // true of nobody
  Id owner = w.net.true_replicas(plain.key, 1).front();
  std::erase(w.places, owner);
  auto answered = [&](const Id& asker, const QueryRequest& question) {
    int count = 0;
    w.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes&) {
      if (from == owner && to == asker && type == raw(FrameType::query_rep)) ++count;
    };
    for (int i = 0; i < 1000; ++i) {
      w.net.inject(asker, owner, raw(FrameType::query_req), encode(question));
      if (i % 100 == 0) w.net.run_for(1ms);
    }
    w.net.run_for(1s);
    w.net.tap = {};
    return count;
  };
  CHECK(answered(w.places[0], plain) == 1000);
  int dear_ones = answered(w.places[1], dear);
  CHECK(dear_ones > 50);
  CHECK(dear_ones < 700);
}

TEST_CASE("marks that were changed on the way displace nothing") {
  SearchWorld w(6);
  UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess","age":24})");
  auto before = held(w, alice);
  for (const auto& [key, item] : before) {
    for (unsigned flags = 0; flags < 256; ++flags) {
      Bytes other = item.bytes;
      other[0] = static_cast<std::uint8_t>(flags);
      if (decode_index_item(other)) bring(w, w.places[0], at_key(key, other));
    }
    w.net.run_for(100ms);
  }
  for (const auto& [key, item] : before) {
    for (const Id& id : w.net.true_replicas(key, 3)) {
      const Item* now =
          w.net.node(id).component<test::SearchNode>().replicas.table().find(item.key);
      REQUIRE(now != nullptr);
      CHECK(now->bytes == item.bytes);
    }
  }
  CHECK(w.find(5, "age=20..30").verified == Ids{alice});
}

TEST_CASE("the withdrawal from keys a profile no longer has takes nothing from those it has") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    SearchWorld w(6, seed);
    UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
    change(w, 0, alice, R"({"name":"Alice","hobby":"go"})");
    REQUIRE(w.publish_again(0, alice));
    auto before = held(w, alice);
    std::optional<Bytes> gone;
    for (const auto& [key, item] : before) {
      if (item.info.tombstone) gone = item.bytes;
    }
    REQUIRE(gone);
    for (const auto& [key, item] : before) bring(w, w.places[0], at_key(key, *gone));
    w.net.run_for(1s);
    for (const auto& [key, item] : held(w, alice))
      CHECK(item.info.tombstone == before.at(key).info.tombstone);
    CHECK(w.find(5, "hobby=go").verified == Ids{alice});
  }
}

TEST_CASE("keys that a failed change left behind are cleared later, also after a restart") {
  for (bool restarts : {false, true}) {
    CAPTURE(restarts);
    SearchWorld w(8);
    UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
    change(w, 0, alice, R"({"name":"Alice","hobby":"go"})");
    auto tried = std::make_shared<bool>(false);
    w.net.options().loss = 1;
    w.at(0).search.publisher().publish(alice, [tried](const auto&) { *tried = true; });
    REQUIRE(w.net.run_until([&] { return *tried; }, 10min));
    w.net.options().loss = 0;
    CHECK(w.find(4, "hobby=chess").report.candidates == 1);
    if (restarts) {
      w.net.crash(w.places[0]);
      w.net.start(w.places[0]);
    }
    w.net.run_for(3min);
    CHECK(w.find(4, "hobby=chess").report.candidates == 0);
    CHECK(w.find(4, "hobby=go").verified == Ids{alice});
    CHECK(w.at(0).users.find(alice)->leftover_keys.empty());
  }
}

TEST_CASE("who publishes while the ring is full is told so, and it works once there is room") {
  SearchWorld w(4);
  auto restart_with = [&](std::size_t bytes) {
    w.replica_options.max_bytes = bytes;
    for (const Id& id : w.places) w.net.crash(id);
    for (const Id& id : w.places) w.net.start(id);
    w.net.run_for(10s);
  };
  restart_with(1000);
  auto alice = w.at(0).users.create(hosted(w.schema, R"({"name":"Alice","hobby":"chess"})"),
                                    [](const auto&) {});
  REQUIRE(alice);
  std::optional<Result<Publisher::Published>> done;
  w.at(0).search.publisher().publish(*alice, [&](const auto& result) { done = result; });
  REQUIRE(w.net.run_until([&] { return done.has_value(); }, 2min));
  REQUIRE(*done);
  CHECK((*done)->stored < (*done)->records);
  CHECK((*done)->refused == Status::full);
  restart_with(1 << 20);
  w.net.run_for(1min);
  CHECK(w.find(3, "hobby=chess").verified == Ids{*alice});
}

TEST_CASE("many quick searches leave no timers behind, and one that is cancelled is over") {
  SearchWorld w(4);
  UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  std::size_t before = w.net.node(w.places[1]).timers();
  for (int i = 0; i < 100; ++i) CHECK(w.find(1, "hobby=chess").verified == Ids{alice});
  CHECK(w.net.node(w.places[1]).timers() <= before + 4);

  bool heard = false;
  auto& finder = w.at(1).search.finder();
  auto id = finder.start({.query = *profile::parse_query(w.schema, "hobby=chess")},
                         {.hit = [&](const Person&) { heard = true; },
                          .done = [&](const FindReport&) { heard = true; }});
  REQUIRE(id);
  w.net.run_for(2ms);
  finder.cancel(*id);
  CHECK_FALSE(finder.open(*id));
  w.net.run_for(1min);
  CHECK_FALSE(heard);
}

TEST_CASE("a listener may cancel its own search from inside a hit, and hears nothing more") {
  SearchWorld w(4);
  for (const char* name : {"Alice", "Bob", "Carol"})
    w.publish(0, fmt::format(R"({{"name":"{}","hobby":"chess"}})", name));
  auto& finder = w.at(1).search.finder();
  std::size_t hits = 0;
  bool done = false;
  Finder::SearchId id{};
  auto cancel = [&](const Person&) {
    ++hits;
    finder.cancel(id);
  };
  auto started = finder.start({.query = *profile::parse_query(w.schema, "hobby=chess")},
                              {.hit = cancel, .done = [&](const FindReport&) { done = true; }});
  REQUIRE(started);
  id = *started;
  REQUIRE(w.net.run_until([&] { return hits > 0; }, 10s));
  CHECK_FALSE(finder.open(id));
  w.net.run_for(1min);
  CHECK(hits == 1);  // the other two came in the same answer
  CHECK_FALSE(done);
}

TEST_CASE(
    "a search that nobody answers ends when its time is over, not before and not much later") {
  SearchWorld w(4);
  w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  w.net.options().loss = 1;
  for (Duration timeout : {Duration(70ms), Duration(1500ms)}) {
    std::optional<Time> ended;
    Time begin = w.net.time();
    auto id = w.at(1).search.finder().start(
        {.query = *profile::parse_query(w.schema, "hobby=chess"), .timeout = timeout},
        {.hit = [](const Person&) {}, .done = [&](const FindReport&) { ended = w.net.time(); }});
    REQUIRE(id);
    REQUIRE(w.net.run_until([&] { return ended.has_value(); }, 10s));
    CHECK(*ended - begin >= timeout);
    CHECK(*ended - begin <= timeout + 50ms);
  }
}

TEST_CASE("an index entry is as large as the largest record with its marks and no larger") {
  SearchWorld w(4);
  auto status = [&](std::size_t size) {
    RawItem raw_item = at_key(w.places[1], Bytes(size, 1));
    std::optional<Status> out;
    w.at(0).replicas.put({{.raw_item = raw_item}},
                         [&](const auto& stored) { out = stored.at(0).status; });
    REQUIRE(w.net.run_until([&] { return out.has_value(); }, 60s));
    return *out;
  };
  CHECK(status(profile::max_record_size + 2) == Status::malformed);
  CHECK(status(profile::max_record_size + 3) == Status::too_large);
}

TEST_SUITE_END();
