// SPDX-License-Identifier: MIT
// Lookups of a node: whom it asks, what it tells, and when it asks again or gives up.
#include "tests/chord/stage.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_SUITE_BEGIN("chord/ring_node, lookups");

namespace {

using Places = std::vector<unsigned>;

FindOwner find(unsigned key, Freshness freshness = Freshness::routed) {
  return {.tag = 900 + key, .key = id(key), .freshness = freshness};
}

}  // namespace

TEST_CASE("a member owns what lies behind its predecessor, up to itself") {
  Stage stage = Cast{}.member();
  for (unsigned key : {221u, 255u, 0u, 10u}) {
    CAPTURE(key);
    stage.start(find(key));
    auto done = stage.told<LookupDone>();
    REQUIRE(done.size() == 1);
    CHECK(done[0].tag == 900 + key);
    CHECK(done[0].outcome == LookupOutcome::found);
    CHECK(done[0].owner == peer(10));
    CHECK(done[0].predecessor == peer(220));
    CHECK(done[0].successors == peers({40, 90, 160, 220}));
  }
  for (unsigned key : {220u, 11u}) {
    stage.start(find(key));
    CHECK(stage.told<LookupDone>().empty());
  }
}

TEST_CASE("without a predecessor only its own id is surely a member's") {
  Stage stage;
  stage.start(Assume{std::nullopt, peers({40}), {}});
  stage.start(find(10));
  CHECK(stage.told<LookupDone>().size() == 1);
  stage.start(find(9));
  CHECK(stage.told<LookupDone>().empty());
  Stage alone;
  alone.start(Create{});
  alone.start(find(99));
  CHECK(alone.told<LookupDone>().size() == 1);
}

TEST_CASE("who is in no ring finds nobody, who leaves still finds others") {
  Stage idle;
  idle.start(find(10));
  CHECK(idle.told<LookupDone>().at(0).outcome == LookupOutcome::ring_unreachable);
  idle.start(Join{.seeds = {"a"}});
  idle.start(find(10));
  CHECK(idle.told<LookupDone>().at(0).outcome == LookupOutcome::ring_unreachable);
  Stage leaving = Cast{}.member();
  leaving.others = Cast{};
  leaving.start(BeginLeave{});
  leaving.start(find(5));
  auto done = leaving.told<LookupDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].owner == peer(40));  // we are no owner any more
}

TEST_CASE("a lookup tells the owner, whose list named it, its list, and what it cost") {
  Stage stage = Cast{}.member();
  stage.start(find(100));
  auto asked = stage.sent(MessageType::next_req);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].peer == peer(90));
  stage.t += milliseconds(20);
  stage.answer(asked[0], *Cast{}(asked[0]));
  asked = stage.sent(MessageType::state_req);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].peer == peer(160));
  stage.t += milliseconds(30);
  stage.answer(asked[0], *Cast{}(asked[0]));
  auto done = stage.told<LookupDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].owner == peer(160));
  CHECK(done[0].predecessor == peer(90));
  CHECK(done[0].successors == peers({220, 10, 40, 90}));
  CHECK(done[0].contacts == 2);
  CHECK(done[0].took == milliseconds(50));
  CHECK(done[0].path == std::vector<Id>{id(90), id(160)});
  CHECK_FALSE(done[0].from_cache);
}

TEST_CASE("what a lookup found is taken from memory as it is, or after one question") {
  Stage stage = Cast{}.member();
  stage.others = Cast{};
  stage.start(find(100));
  (void)stage.told<LookupDone>();
  stage.others = nullptr;
  (void)stage.sent(MessageType::state_req);
  (void)stage.sent(MessageType::next_req);

  stage.start(find(120, Freshness::cached));
  auto done = stage.told<LookupDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].owner == peer(160));
  CHECK(done[0].from_cache);
  CHECK(stage.sent(MessageType::state_req).empty());

  stage.start(find(120, Freshness::verified));
  auto asked = stage.sent(MessageType::state_req);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].peer == peer(160));
  stage.t += milliseconds(7);
  stage.answer(asked[0], StateReply{Mode::member, 1, peer(110), peers({220})});
  done = stage.told<LookupDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].owner == peer(160));
  CHECK(done[0].predecessor == peer(110));
  CHECK(done[0].successors == peers({220}));
  CHECK(done[0].contacts == 1);
  CHECK(done[0].took == milliseconds(7));
  CHECK(done[0].from_cache);
  stage.start(find(105, Freshness::cached));  // somebody has come between
  CHECK(stage.told<LookupDone>().empty());
}

TEST_CASE("what memory says and the owner denies is looked for anew") {
  auto denied = [](const std::optional<Message>& reply) {
    Stage stage = Cast{}.member();
    stage.others = Cast{};
    stage.start(find(100));
    stage.others = nullptr;
    (void)stage.told<LookupDone>();
    (void)stage.sent(MessageType::next_req);
    (void)stage.sent(MessageType::state_req);
    stage.start(find(100, Freshness::verified));
    Frame asked = stage.sent(MessageType::state_req).at(0);
    if (reply) {
      stage.answer(asked, *reply);
    } else {
      stage.pass(stage.self.options().rto_min);
    }
    CHECK(stage.told<LookupDone>().empty());
    return stage.asked(MessageType::next_req) == Places{90};
  };
  CHECK(denied(StateReply{Mode::member, 1, peer(130), {}}));
  CHECK(denied(StateReply{Mode::member, 1, std::nullopt, {}}));
  CHECK(denied(StateReply{Mode::leaving, 1, peer(90), {}}));
  CHECK(denied(ErrorReply{Status::not_member, 0}));
  CHECK(denied(std::nullopt));
}

TEST_CASE("so many lookups are under way at once, more are refused") {
  Options options;
  options.lookups_at_once = 3;
  Stage stage = Cast{}.member(10, options);
  for (unsigned key : {100u, 101u, 102u}) stage.start(find(key));
  CHECK(stage.told<LookupDone>().empty());
  stage.start(find(103));
  auto done = stage.told<LookupDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].outcome == LookupOutcome::ring_unreachable);
}

TEST_CASE("a lookup ends when its time is over, not before") {
  Options options;
  options.first_timeout = options.rto_max = std::chrono::minutes(2);
  Stage stage = Cast{}.member(10, options);
  stage.start(find(100));
  stage.pass(options.lookup_time - milliseconds(1));
  CHECK(stage.told<LookupDone>().empty());
  stage.pass(milliseconds(1));
  auto done = stage.told<LookupDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].outcome == LookupOutcome::timed_out);
}

TEST_CASE("a question unanswered for half its time-out is put to another peer too") {
  Stage stage = Cast{}.member();
  stage.start(find(100));
  CHECK(stage.asked(MessageType::next_req) == Places{90});
  stage.pass(milliseconds(499));
  CHECK(stage.asked(MessageType::next_req).empty());
  stage.pass(milliseconds(1));
  CHECK(stage.asked(MessageType::next_req) == Places{40});
}

TEST_CASE("a question whose link broke is put once more to the same peer, then to another") {
  Stage stage = Cast{}.member();
  stage.start(find(100));
  CHECK(stage.asked(MessageType::next_req) == Places{90});
  stage.unlink(90);
  stage.pass();
  CHECK(stage.asked(MessageType::next_req) == Places{90});
  stage.no_way_to(90);
  stage.pass();
  CHECK(stage.asked(MessageType::next_req) == Places{40});
}

TEST_CASE("a lookup that found no owner begins again after lookup_again") {
  Stage stage = Cast{.length = 4}.member();
  const Duration again = stage.self.options().lookup_again;
  stage.others = [](const Frame&) { return ErrorReply{Status::rate, 0}; };
  stage.start(find(100));
  std::size_t first = stage.asked(MessageType::next_req).size();
  CHECK(first > 0);
  first += stage.asked(MessageType::state_req).size();
  stage.pass(again - milliseconds(1));
  CHECK(stage.asked(MessageType::next_req).empty());
  CHECK(stage.told<LookupDone>().empty());
  stage.others = Cast{};
  stage.pass(milliseconds(1));
  auto done = stage.told<LookupDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].tag == 1000);
  CHECK(done[0].outcome == LookupOutcome::found);
  CHECK(done[0].owner == peer(160));
  CHECK(done[0].took == again);
  CHECK(done[0].contacts == first + 2);  // those of the first try count
}

TEST_CASE("a lookup that never finds an owner ends with its time or its requests") {
  auto ends = [](std::size_t contacts) {
    Options options;
    options.lookup_contacts = contacts;
    Stage stage = Cast{.length = 4}.member(10, options);
    stage.others = [](const Frame&) { return ErrorReply{Status::rate, 0}; };
    stage.start(find(100));
    stage.pass(options.lookup_time);
    auto done = stage.told<LookupDone>();
    REQUIRE(done.size() == 1);
    CHECK(done[0].contacts <= contacts);
    return std::pair(done[0].outcome, done[0].took);
  };
  Options options;
  CHECK(ends(1000) ==
        std::pair(LookupOutcome::ring_unreachable, options.lookup_time - options.lookup_again));
  CHECK(ends(4) == std::pair(LookupOutcome::ring_unreachable, Duration{}));  // one try takes four
  CHECK(ends(5) == std::pair(LookupOutcome::timed_out, options.lookup_again));
}

TEST_CASE("every lookup under way ends when the peer leaves the ring") {
  Stage stage = Cast{}.member();
  stage.start(find(100));
  stage.start(find(170));
  stage.link(10, "", 6);  // a later process with our key
  auto done = stage.told<LookupDone>();
  REQUIRE(done.size() == 2);
  for (const LookupDone& one : done) CHECK(one.outcome == LookupOutcome::ring_unreachable);
  CHECK(stage.self.open_requests() == 0);
}

TEST_SUITE_END();
