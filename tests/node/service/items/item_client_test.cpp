// SPDX-License-Identifier: MIT
// The limits of those who store and read on the ring, and of those who answer them: what each
// allows happens, and no more.
#include "node/service/items/item_client.h"

#include <doctest/doctest.h>

#include "node/service/items/item_sync.h"
#include "tests/node/service/items/ring_of_replicas.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::Author;

TEST_SUITE_BEGIN("service/item_client");

namespace {

struct World : test::RingOfReplicas {
  explicit World(std::size_t nodes, const ReplicaOptions& replica_options = {})
      : RingOfReplicas(nodes, 1, {}, replica_options) {
    net.run_for(1min);  // until everybody knows its neighbourhood
  }
  Replicas& any() { return at(net.live().front()); }
  RawItem raw_item(std::uint64_t author) { return Author(author, signer).raw_item(1, now(), "x"); }

  /// What all nodes do with a type of request from now on.
  void everywhere(FrameType type,
                  const std::function<void(test::FakeNode&, const Request&)>& handler) {
    for (const Id& id : net.live()) {
      test::FakeNode& node = net.node(id);
      node.on(raw(type), [&node, handler](const Request& request) { handler(node, request); });
    }
  }
  void silence(FrameType type) {
    everywhere(type, [](test::FakeNode&, const Request&) {});
  }
};

}  // namespace

TEST_CASE("no more than max_client_jobs reads and writes are under way at once") {
  World world(4, {.max_client_jobs = 3});
  world.silence(FrameType::get_req);
  world.silence(FrameType::put_req);
  std::size_t ended = 0;
  for (std::uint64_t n = 0; n < 2; ++n)
    world.any().get(Author(n, world.signer).ring(), ItemKind::author_item,
                    [&](const auto&) { ++ended; });
  world.any().put({{world.raw_item(1), {}}}, [&](const auto&) { ++ended; });
  std::optional<ErrorCode> read;
  std::optional<Status> written;
  world.any().get(Author(9, world.signer).ring(), ItemKind::author_item,
                  [&](const auto& r) { read = r.error().code; });
  world.any().put({{world.raw_item(9), {}}}, [&](const auto& s) { written = s.at(0).status; });
  world.net.run_for(0s);
  CHECK(read == to_error(Status::rate).code);
  CHECK(written == Status::unavailable);
  CHECK(ended == 0);
  world.net.run_for(5min);
  CHECK(ended == 3);
}

TEST_CASE("one write asks at most max_owner_requests owners at once, and reaches them all") {
  World world(12, {.max_owner_requests = 2});
  std::size_t open = 0, most = 0, asked = 0;
  Id writer = world.net.live().front();
  world.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes&) {
    if (from == writer && type == raw(FrameType::put_req)) {
      most = std::max(most, ++open);
      ++asked;
    }
    if (to == writer && type == raw(FrameType::put_rep)) --open;
  };
  std::vector<ItemClient::PutEntry> entries;
  for (std::uint64_t n = 0; n < 60; ++n) entries.push_back({world.raw_item(n), {}});
  std::optional<bool> safe;
  world.any().put(entries, [&](const auto& stored) {
    safe = std::ranges::all_of(stored, [](const auto& s) { return s.safe; });
  });
  REQUIRE(world.net.run_until([&] { return safe.has_value(); }, 60s));
  CHECK(*safe);
  CHECK(asked > 5);
  CHECK(most == 2);
}

TEST_CASE("a write is tried put_attempts times, after pauses that double, while it may help") {
  struct Case {
    Status status;
    std::size_t tries;
  };
  for (auto [status, tries] : {Case{Status::storage, 4},
                               {Status::rate, 4},
                               {Status::leaving, 4},
                               {Status::not_responsible, 4},
                               {Status::not_member, 4},
                               {Status::unavailable, 4},
                               {Status::full, 1},
                               {Status::quota, 1},
                               {Status::too_old, 1},
                               {Status::bad_signature, 1}}) {
    CAPTURE(to_text(status));
    World world(4, {.retry_delay = 500ms, .put_attempts = 4});
    std::vector<Time> times;
    world.everywhere(FrameType::put_req, [&](test::FakeNode& node, const Request& request) {
      times.push_back(world.net.time());
      node.reply(request, raw(FrameType::put_rep),
                 encode(PutReply{.wanted = 3, .entries = {{.status = status}}}));
    });
    std::optional<Status> out;
    world.any().put({{world.raw_item(1), {}}}, [&](const auto& s) { out = s.at(0).status; });
    REQUIRE(world.net.run_until([&] { return out.has_value(); }, 5min));
    CHECK(out == status);
    REQUIRE(times.size() == tries);
    Duration pause = 500ms;
    for (std::size_t i = 1; i < times.size(); ++i, pause *= 2) {
      CAPTURE(i);
      CHECK(times[i] - times[i - 1] >= pause);
      CHECK(times[i] - times[i - 1] <= pause + 200ms);  // and the way there and back
    }
  }
}

TEST_CASE("a write that is stored but not safe is tried again") {
  World world(4, {.put_attempts = 3});
  std::size_t tries = 0;
  world.everywhere(FrameType::put_req, [&](test::FakeNode& node, const Request& request) {
    std::uint8_t copies = ++tries == 1 ? 2 : 3;
    PutReply reply{.wanted = 3, .entries = {{.status = Status::ok, .copies = copies, .seq = 1}}};
    node.reply(request, raw(FrameType::put_rep), encode(reply));
  });
  std::optional<ItemClient::Stored> out;
  world.any().put({{world.raw_item(1), {}}}, [&](const auto& s) { out = s.at(0); });
  REQUIRE(world.net.run_until([&] { return out.has_value(); }, 1min));
  CHECK(tries == 2);
  CHECK((out->safe && out->copies == 3));
}

TEST_CASE("a holder that always has more is asked for get_pages pages, each behind the last") {
  World world(4, {.get_pages = 5});
  // Any number of authors has a record under the key of their own only, so one record comes again
  // and again: pages end when nothing new comes, too.
  std::size_t pages = 0;
  Author author(1, world.signer);
  Bytes record = author.raw_item(1, world.now(), "x").bytes;
  world.everywhere(FrameType::get_req, [&](test::FakeNode& node, const Request& request) {
    ++pages;
    node.reply(request, raw(FrameType::get_rep), encode(GetReply{.more = true, .items = {record}}));
  });
  std::optional<std::size_t> found;
  world.any().get(author.ring(), ItemKind::author_item,
                  [&](const auto& r) { found = r ? r->size() : 0; });
  REQUIRE(world.net.run_until([&] { return found.has_value(); }, 1min));
  CHECK(found == 1);
  CHECK(pages == 2);  // the second held nothing behind the first
}

TEST_CASE("a reader remembers high_water_marks versions, those it has seen last") {
  World world(4, {.high_water_marks = 2});
  std::map<Id, Bytes> held;
  world.everywhere(FrameType::get_req, [&](test::FakeNode& node, const Request& request) {
    auto asked = decode<GetRequest>(request.body);
    node.reply(request, raw(FrameType::get_rep), encode(GetReply{.items = {held.at(asked->ring)}}));
  });
  auto read = [&](std::uint64_t n, std::uint64_t seq) {
    Author author(n, world.signer);
    held[author.ring()] = author.raw_item(seq, world.now(), "x").bytes;
    std::optional<bool> out;
    world.any().get(author.ring(), ItemKind::author_item,
                    [&](const auto& r) { out = r.has_value(); });
    CHECK(world.net.run_until([&] { return out.has_value(); }, 1min));
    return out.value_or(false);
  };
  CHECK(read(1, 5));
  CHECK(read(2, 5));
  CHECK_FALSE(read(1, 4));
  CHECK_FALSE(read(2, 4));
  CHECK(read(1, 6));        // seen again: 2 is the one seen longest ago now
  CHECK(read(3, 5));        // and makes room
  CHECK_FALSE(read(1, 4));  // still remembered
  CHECK(read(2, 4));
}

TEST_CASE("an owner has max_put_jobs writes open and answers each when its time is over") {
  World world(4, {.max_put_jobs = 3});
  world.silence(FrameType::replicate_req);
  Id owner = world.net.live()[1], writer = world.net.live()[3];
  std::vector<PutReply> replies;
  std::vector<Time> times;
  world.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes& body) {
    if (from != owner || to != writer || type != raw(FrameType::put_rep)) return;
    replies.push_back(*decode<PutReply>(body));
    times.push_back(world.net.time());
  };
  Time begin = world.net.time();
  for (std::uint64_t n = 0, sent = 0; sent < 4; ++n) {
    RawItem raw_item = world.raw_item(n);
    if (world.net.true_replicas(raw_item.ring, 1).front() != owner) continue;
    world.net.inject(writer, owner, raw(FrameType::put_req), encode(PutRequest{{{raw_item, {}}}}));
    ++sent;
  }
  world.net.run_for(1s);
  REQUIRE(replies.size() == 1);
  CHECK(replies[0].entries.at(0).status == Status::rate);
  world.net.run_for(20s);
  REQUIRE(replies.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(replies[i].entries.at(0).status == Status::ok);
    CHECK(replies[i].entries.at(0).copies == 1);
    CHECK(replies[i].wanted == 3);
    CHECK(times[i] - begin <= world.options.put_deadline + 100ms);
  }
}

TEST_CASE("max_sessions comparisons run at once, one with each peer, and so many wait") {
  World world(8, {.max_sessions = 2, .max_queued_sessions = 3});
  world.silence(FrameType::sync_digest_req);
  Id id = world.net.live()[0];
  test::FakeNode& node = world.net.node(id);
  Neighbourhood neighbourhood(id, 4);
  ItemHolder holder(node, world.book, neighbourhood, world.options);
  ItemSync sync(node, holder, world.options);
  std::size_t failed = 0;
  auto compare = [&](std::size_t peer, std::uint8_t upto) {
    Arc arc{.after = Id{}, .upto = Id{{upto}}};
    sync.compare(
        world.net.node(world.net.live()[peer]).self(), arc, ItemSync::Direction::both,
        [&](const auto& report) { failed += report.outcome == ItemSync::Outcome::failed ? 1 : 0; });
  };
  compare(1, 1);
  compare(1, 2);  // the peer is busy: this one waits
  CHECK(sync.sessions() == 1);
  compare(2, 1);
  compare(3, 1);  // two run: this one waits, too
  CHECK(sync.sessions() == 2);
  compare(3, 1);  // the same one waits already
  world.net.run_for(0s);
  CHECK(failed == 1);
  compare(4, 1);
  world.net.run_for(0s);
  CHECK(failed == 1);
  compare(5, 1);  // the fourth of those that wait
  world.net.run_for(0s);
  CHECK(failed == 2);
  CHECK(sync.sessions() == 2);
  world.net.run_for(1min);  // nobody answers: all come to their end
  CHECK(failed == 7);
  CHECK(sync.sessions() == 0);
}

TEST_CASE("for one list no more than list_visits items are looked at, and the rest is asked for") {
  World world(1, {.list_visits = 10});
  for (std::uint64_t n = 0; n < 25; ++n) {
    bool stored = false;
    world.any().put({{world.raw_item(n), {}}}, [&](const auto& s) { stored = s.at(0).safe; });
    REQUIRE(world.net.run_until([&] { return stored; }, 10s));
  }
  Id holder = world.net.live().front();
  Id asker = world.net.add().self().id;
  world.net.start(asker);
  std::vector<ItemKey> seen;
  std::size_t lists = 0;
  for (Span rest{ItemKey{}, highest_key()};; ++lists) {
    std::optional<ListReply> reply;
    world.net.node(asker).ask(world.net.node(holder).self(), raw(FrameType::sync_list_req),
                              encode(ListRequest{.span = rest, .offer = true}), 3s,
                              [&](const Result<Frame>& frame) {
                                REQUIRE(frame);
                                reply = *decode<ListReply>(frame->body);
                              });
    REQUIRE(world.net.run_until([&] { return reply.has_value(); }, 5s));
    CHECK(reply->offered.size() <= 10);
    for (const ItemStamp& entry : reply->offered) seen.push_back(entry.key);
    if (reply->covered == rest.last) break;
    rest.first = after(reply->covered);
  }
  CHECK(lists == 2);
  CHECK(seen.size() == 25);
  CHECK(std::ranges::is_sorted(seen));
}

TEST_SUITE_END();
