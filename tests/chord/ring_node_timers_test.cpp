// SPDX-License-Identifier: MIT
// What a node does as time passes: how often, and what silence makes it do.
#include "tests/chord/stage.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_SUITE_BEGIN("chord/ring_node, timers");

namespace {

using Places = std::vector<unsigned>;

/// The gaps lie within a share of the period and use most of that room.
void check_period(const std::vector<Time>& times, Duration period, double share) {
  REQUIRE(times.size() > 20);
  Duration shortest = Duration::max(), longest{};
  for (std::size_t i = 1; i < times.size(); ++i) {
    shortest = std::min(shortest, times[i] - times[i - 1]);
    longest = std::max(longest, times[i] - times[i - 1]);
  }
  auto part = [&](double of) {
    return Duration(static_cast<Duration::rep>(static_cast<double>(period.count()) * of));
  };
  CHECK(shortest >= part(1 - share));
  CHECK(shortest <= part(1 - share / 2));
  CHECK(longest >= part(1 + share / 2));
  CHECK(longest <= part(1 + share));
}

}  // namespace

TEST_CASE("rounds come in their periods, each with its jitter") {
  Options options;
  options.fingers = false;
  Cast cast{.length = 2};  // the predecessor is not in the list
  Stage stage = cast.member(10, options);
  stage.others = cast;
  stage.pass(minutes(60));
  check_period(stage.times(MessageType::ping, 90), options.stabilize_every, 0.25);
  check_period(stage.times(MessageType::ping, 220), 2 * options.stabilize_every, 0.25);
  check_period(stage.times_told<PeersToRemember>(), options.remember_every, 0.25);
}

TEST_CASE("a member looks for a second ring in its period") {
  Options options;
  options.fingers = false;
  Stage stage(10, options);
  stage.start(Assume{peer(40), peers({40}), peers({40})});
  stage.link(40);
  Cast cast{.places = {10, 40}};
  stage.others = cast;
  stage.pass(minutes(30));
  check_period(stage.times(MessageType::next_req, 40), options.probe_every, 0.5);
}

TEST_CASE("a member looks for a second ring behind its seeds, too") {
  Stage stage(10);
  stage.start(Join{.seeds = {"seed:1"}});
  stage.pass();
  stage.link(40, "seed:1");
  stage.answer(stage.sent(MessageType::next_req).at(0), NextReply{.mode = Mode::member});
  REQUIRE(stage.self.mode() == Mode::member);
  stage.others = Cast{.places = {10, 40}};
  stage.dialled();
  stage.pass(minutes(60));
  auto dialled = stage.dialled();
  CHECK(std::ranges::count(dialled, "seed:1") > 0);
  CHECK(std::ranges::count(dialled, "seed:1") == static_cast<std::ptrdiff_t>(dialled.size()));
}

TEST_CASE("a new member stabilizes at once and asks for its first finger and its memory soon") {
  Options options;
  Stage stage = Cast{}.member();
  stage.others = Cast{};
  stage.pass();
  CHECK(stage.asked(MessageType::state_req) == Places{40});
  stage.pass(options.finger_every / 4 * 5 / 4);
  CHECK(stage.self.fingers().size() > 0);
  stage.pass(options.stabilize_every * 5 / 4);
  CHECK(stage.told<PeersToRemember>().size() == 1);
}

TEST_CASE("fingers are right after a round of them") {
  Stage stage = Cast{}.member();
  stage.others = Cast{};
  stage.pass(minutes(5));
  // 2^157 is 32 places ahead: 42 belongs to 90, 74 to 90, 138 to 160. Below, 40 comes first.
  CHECK(stage.self.fingers() ==
        std::map<int, PeerRef>{{157, peer(90)}, {158, peer(90)}, {159, peer(160)}});
}

TEST_CASE("the entries of the list are asked in turn whether they live") {
  Stage stage = Cast{}.member();
  stage.others = Cast{};
  stage.pass(minutes(10));
  auto asked = stage.asked(MessageType::ping);
  std::map<unsigned, int> counts;
  for (unsigned place : asked) ++counts[place];
  CHECK(counts[90] > 30);
  CHECK(std::abs(counts[90] - counts[160]) <= 1);
  CHECK(counts[40] == 0);  // the first is asked for its state
}

TEST_CASE("a silent first successor is dropped after a second silence, and the next is asked") {
  Options options;
  options.fingers = false;
  Cast cast;
  Stage stage = cast.member(10, options);
  stage.others = [&](const Frame& frame) -> std::optional<Message> {
    if (Stage::place_of(frame) == 40) return std::nullopt;
    return cast(frame);
  };
  stage.pass(milliseconds(2999));  // time-outs of 1 s and 2 s
  CHECK(stage.asked(MessageType::state_req) == Places{40, 40});
  CHECK(stage.self.successors().front() == peer(40));
  stage.pass(milliseconds(1));
  CHECK(stage.asked(MessageType::state_req).at(0) == 90);
  CHECK(stage.self.successors().front() == peer(90));
  CHECK(stage.self.passive() == peers({40}));
}

TEST_CASE("a successor that is heard meanwhile is kept, though its answers are lost") {
  Stage stage = Cast{}.member();
  stage.pass(milliseconds(1500));
  stage.hear(40, Notify{});
  stage.pass(milliseconds(2500));
  CHECK(stage.self.successors().front() == peer(40));
  CHECK_FALSE(stage.self.operation_open());
}

TEST_CASE("a predecessor that is silent or no member any more is forgotten") {
  for (const std::optional<Message>& answer :
       {std::optional<Message>(), std::optional<Message>(Pong{.mode = Mode::leaving}),
        std::optional<Message>(ErrorReply{Status::not_member, 0})}) {
    Cast cast{.length = 2};
    Stage stage = cast.member();
    stage.others = [&](const Frame& frame) {
      return Stage::place_of(frame) == 220 ? answer : cast(frame);
    };
    stage.pass(seconds(20));
    CHECK_FALSE(stage.self.predecessor());
  }
  Cast cast{.length = 2};
  Stage busy = cast.member();
  busy.others = [&](const Frame& frame) -> std::optional<Message> {
    if (Stage::place_of(frame) == 220) return ErrorReply{Status::rate, 1000};
    return cast(frame);
  };
  busy.pass(seconds(60));
  CHECK(busy.self.predecessor() == peer(220));
}

TEST_CASE("a predecessor that was silent before it took the place is remembered to be retried") {
  Cast cast{.length = 2};  // neither 160 nor 220 is in the list
  Options options;
  options.fingers = false;
  Stage stage = cast.member(10, options);
  stage.others = [&](const Frame& frame) -> std::optional<Message> {
    if (Stage::place_of(frame) >= 160) return std::nullopt;
    return cast(frame);
  };
  stage.hear(160, Notify{});
  stage.unlink(160);
  for (int i = 0; i < options.dead_after; ++i) stage.no_way_to(160);
  CHECK(stage.self.passive().empty());
  stage.pass(seconds(4));  // 220 is silent
  CHECK(stage.self.predecessor() == peer(160));
  stage.pass(2 * options.stabilize_every * 5 / 4);
  CHECK_FALSE(stage.self.predecessor());
  CHECK(stage.self.passive() == peers({160, 220}));
}

TEST_CASE("nearer and nearer predecessors are followed so many steps at once") {
  for (int chain : {0, 1, 4}) {
    CAPTURE(chain);
    Options options;
    options.candidate_chain = chain;
    auto asked = [&](const std::vector<PeerRef>& list) {
      Stage stage(10, options);
      stage.link(200);
      stage.start(Assume{peer(250), list, {}});
      stage.pass();
      Places out;
      for (auto open = stage.sent(MessageType::state_req); !open.empty();
           open = stage.sent(MessageType::state_req)) {
        unsigned place = Stage::place_of(open.at(0));
        out.push_back(place);
        stage.link(place);
        stage.answer(open[0], StateReply{Mode::member, 1, peer(place - 1), peers({place + 1})});
      }
      return out;
    };
    Places steps;
    for (int i = 0; i <= chain; ++i) steps.push_back(200 - static_cast<unsigned>(i));
    CHECK(asked({}) == steps);  // begins at the nearest peer it has met
    steps.insert(steps.begin(), 201);
    CHECK(asked(peers({201})) == steps);  // begins at its first successor
  }
}

TEST_CASE("a nearer peer takes the predecessor's place, a farther one when that is gone") {
  Stage stage = Cast{}.member();
  stage.link(240);
  stage.hear(240, Notify{});
  CHECK(stage.self.predecessor() == peer(240));
  (void)stage.sent(MessageType::ping);
  stage.hear(160, Notify{});
  auto pinged = stage.sent(MessageType::ping);
  REQUIRE(pinged.size() == 1);
  CHECK(pinged[0].peer == peer(240));
  stage.answer(pinged[0], Pong{.mode = Mode::member});
  CHECK(stage.self.predecessor() == peer(240));
  for (unsigned place : {90u, 160u, 40u}) stage.hear(place, Notify{});
  stage.pass(seconds(4));  // 240 is silent
  CHECK(stage.self.predecessor() == peer(160));
}

TEST_CASE(
    "a peer alone that is notified stabilizes soon, a quarter of a period after the last time") {
  Options options;
  Stage stage;
  stage.start(Create{});
  stage.pass(milliseconds(100));
  stage.link(40);
  stage.hear(40, Notify{});
  stage.pass(options.stabilize_every / 4 - milliseconds(101));
  CHECK(stage.asked(MessageType::state_req).empty());
  stage.pass(milliseconds(1));
  CHECK(stage.asked(MessageType::state_req) == Places{40});
}

TEST_CASE("with nobody left in its list a peer asks the nearest it has met, then its predecessor") {
  Stage stage;
  for (unsigned place : {40u, 90u, 220u}) stage.link(place);
  stage.start(Assume{peer(220), {}, {}});
  stage.pass();
  CHECK(stage.asked(MessageType::state_req) == Places{40});
  stage.pass(seconds(15));
  auto asked = stage.asked(MessageType::state_req);
  CHECK(std::count(asked.begin(), asked.end(), 220u) > 0);
}

TEST_CASE(
    "a peer that has lost everybody asks so many remembered peers, no more often than probes") {
  Stage stage;
  std::vector<PeerRef> known;
  for (unsigned place = 30; place < 50; ++place) known.push_back(peer(place));
  stage.start(Assume{std::nullopt, {}, known});
  stage.pass(seconds(7));
  auto asked = stage.asked(MessageType::next_req);
  CHECK(asked.size() == static_cast<std::size_t>(stage.self.options().recover_peers));
  stage.pass(seconds(16));
  CHECK(stage.asked(MessageType::next_req).size() >= asked.size());
  CHECK(stage.self.degraded());
}

TEST_CASE("a probe through another ring leads to a better successor") {
  Stage stage = Cast{}.member();
  stage.link(20);
  CHECK(stage.self.successors().front() == peer(40));
  Cast cast{.places = {10, 20, 40, 90, 160, 220}};
  stage.others = cast;
  stage.pass(seconds(30));
  CHECK(stage.self.successors().front() == peer(20));
}

TEST_SUITE_END();
