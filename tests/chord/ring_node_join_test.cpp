// SPDX-License-Identifier: MIT
// How a node enters a ring, begins one and leaves one, and when.
#include "tests/chord/stage.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_SUITE_BEGIN("chord/ring_node, joining and leaving");

namespace {

using Addresses = std::vector<std::string>;

/// The moments at which a joining peer dials its one seed, which never answers.
std::vector<Time> tries(Stage& stage, std::size_t count) {
  std::vector<Time> out;
  while (out.size() < count) {
    stage.pass(milliseconds(1));
    if (stage.dialled().empty()) continue;
    out.push_back(stage.t);
    stage.no_way_to("a");
  }
  return out;
}

std::optional<Message> joins_too(const Frame& frame) {
  if (frame.type == static_cast<std::uint8_t>(MessageType::next_req)) {
    return NextReply{.mode = Mode::joining};
  }
  return std::nullopt;
}

/// After how many seconds a peer that remembers these, all of whom are joining too, is a member.
std::optional<int> founds_after(std::initializer_list<unsigned> remembered, int most) {
  Stage stage(100);
  stage.start(Join{.remembered = peers(remembered)});
  for (unsigned place : remembered) stage.link(place);
  stage.others = joins_too;
  for (int second = 0; second < most; ++second) {
    if (stage.self.mode() == Mode::member) return second;
    stage.pass(seconds(1));
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a join dials every seed at once and searches through the first that answers") {
  Stage stage;
  stage.start(Join{.seeds = {"a", "b"}});
  stage.pass();
  CHECK(stage.dialled() == Addresses{"a", "b"});
  stage.link(40, "b");
  auto asked = stage.sent(MessageType::next_req);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].peer == peer(40));
  CHECK(next_request(asked[0]).key == id(10));
  stage.answer(asked[0], NextReply{.mode = Mode::member});  // alone
  CHECK(stage.self.mode() == Mode::member);
  CHECK(stage.self.successors() == peers({40}));
  CHECK(stage.self.predecessor() == peer(40));
  REQUIRE(stage.told<ModeChanged>().size() == 2);
  stage.pass();
  CHECK(stage.asked(MessageType::state_req) == std::vector<unsigned>{40});
  stage.no_way_to("a");
  stage.pass(seconds(5));
  CHECK(stage.dialled().empty());
}

TEST_CASE("a seed that answers later helps the search that is under way") {
  Stage stage;
  stage.start(Join{.seeds = {"a", "b"}});
  stage.pass();
  stage.link(40, "b");
  stage.link(220, "a");  // nearer before us
  CHECK(stage.asked(MessageType::next_req) == std::vector<unsigned>{40});
  stage.pass(milliseconds(500));  // half of the time-out of 40
  CHECK(stage.asked(MessageType::next_req) == std::vector<unsigned>{220});
}

TEST_CASE("a seed that answers while the peers asked are slow is asked at once") {
  Stage stage;
  stage.start(Join{.seeds = {"a"}, .remembered = peers({40})});
  stage.pass(milliseconds(500));  // half of the time-out of 40
  CHECK(stage.asked(MessageType::next_req) == std::vector<unsigned>{40});
  stage.link(220, "a");
  CHECK(stage.asked(MessageType::next_req) == std::vector<unsigned>{220});
}

TEST_CASE("a member looks for a second ring through a seed as soon as that answers") {
  Options options;
  options.fingers = false;
  Stage stage(10, options);
  stage.start(Join{.seeds = {"a"}});
  stage.pass();
  CHECK(stage.dialled() == Addresses{"a"});
  stage.link(40, "a");
  stage.answer(stage.sent(MessageType::next_req).at(0), NextReply{.mode = Mode::member});
  REQUIRE(stage.self.mode() == Mode::member);
  stage.others = Cast{.places = {10, 40}};
  Time until = stage.t + 20 * options.probe_every;
  while (stage.dialled().empty() && stage.t < until) stage.pass(milliseconds(100));
  (void)stage.sent(MessageType::next_req);
  stage.link(20, "a");  // who answers there now is in a ring of its own
  auto asked = stage.sent(MessageType::next_req);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].peer == peer(20));
  CHECK(next_request(asked[0]).key == id(10));
}

TEST_CASE("a peer that merely calls on us is asked at the next try, not before") {
  Stage stage;
  stage.start(Join{.seeds = {"a"}});
  stage.pass();
  stage.link(40);
  stage.pass(milliseconds(700));
  CHECK(stage.asked(MessageType::next_req).empty());
  stage.pass(milliseconds(600));
  CHECK(stage.asked(MessageType::next_req) == std::vector<unsigned>{40});
}

TEST_CASE("seeds are tried at doubling intervals, up to a minute") {
  Stage stage;
  stage.start(Join{.seeds = {"a"}});
  auto at_times = tries(stage, 10);
  int wait = 1;
  for (std::size_t i = 1; i < at_times.size(); ++i) {
    Duration gap = at_times[i] - at_times[i - 1];
    CAPTURE(i);
    CHECK(gap >= milliseconds(750 * wait));
    CHECK(gap <= milliseconds(1250 * wait + 2));
    wait = std::min(2 * wait, 60);
  }
}

TEST_CASE("a seed that does not answer is told of while we join, and nothing else is") {
  Stage stage;
  stage.start(Join{.seeds = {"a", "b"}});
  stage.pass();
  stage.no_way_to("a");
  CHECK(stage.logged().size() == 1);
  stage.no_way_to("a");  // not under way any more
  stage.no_way_to("elsewhere");
  CHECK(stage.logged().empty());
  stage.link(40, "x");
  stage.hear(40, Notify{});
  CHECK(stage.self.mode() == Mode::joining);
}

TEST_CASE("a seed under way is not dialled again, and at most so many are under way") {
  Stage stage;
  Addresses seeds;
  for (int i = 0; i < 20; ++i) seeds.push_back("seed" + std::to_string(i));
  stage.start(Join{.seeds = seeds});
  stage.pass();
  CHECK(stage.dialled().size() == stage.self.options().dials_at_once);
  stage.pass(minutes(1));
  CHECK(stage.dialled().empty());
  stage.no_way_to("seed3");
  stage.pass(minutes(2));
  CHECK(stage.dialled() == Addresses{"seed3"});
}

TEST_CASE("a peer that comes back remembers others, never itself") {
  Stage stage;
  stage.start(Join{.remembered = peers({10, 40, 90}), .passive = peers({10, 160})});
  CHECK(stage.self.known() == peers({40, 90}));
  CHECK(stage.self.passive() == peers({160}));
  stage.pass();
  CHECK(stage.asked(MessageType::next_req).size() == 1);
}

TEST_CASE("when all join, the smallest begins the ring anew, the others in their turn") {
  // The tries in between are up to 6 s apart.
  auto within = [](std::optional<int> found, int from) {
    return found && *found >= from && *found <= from + 7;
  };
  CHECK(within(founds_after({120, 130}, 200), 20));
  CHECK(within(founds_after({50, 130}, 200), 40));
  CHECK(within(founds_after({50, 60, 130}, 200), 60));
  CHECK(within(founds_after({20, 30, 40, 50, 60, 70}, 200), 100));
}

TEST_CASE("a newcomer never begins a ring anew, nor does anybody while a member answers") {
  Stage newcomer(10);
  newcomer.start(Join{.seeds = {"a"}});
  newcomer.pass();
  newcomer.link(40, "a");
  newcomer.others = joins_too;
  newcomer.pass(minutes(10));
  CHECK(newcomer.self.mode() == Mode::joining);

  Stage returns(10);
  returns.start(Join{.remembered = peers({40, 90})});
  returns.link(40);
  returns.link(90);
  returns.others = [](const Frame& frame) -> std::optional<Message> {
    if (Stage::place_of(frame) == 40) return joins_too(frame);
    return NextReply{.mode = Mode::member, .successors = peers({10})};  // has not noticed our crash
  };
  returns.pass(minutes(10));
  CHECK(returns.self.mode() == Mode::joining);
}

TEST_CASE("what has begun is not begun again") {
  Stage stage;
  stage.start(Create{});
  CHECK(stage.logged().empty());
  stage.start(Create{});
  CHECK(stage.logged().size() == 1);
  stage.start(Join{.seeds = {"a"}});
  CHECK(stage.logged().size() == 1);
  CHECK(stage.self.mode() == Mode::member);
  stage.pass();
  CHECK(stage.dialled().empty());
}

TEST_CASE("a leaver tells its neighbours and is gone when the nearest two have acknowledged") {
  Stage stage = Cast{}.member();
  stage.start(LeaveNow{});
  CHECK(stage.self.mode() == Mode::leaving);
  auto told = stage.sent(MessageType::leave);
  REQUIRE(told.size() == 4);
  for (const Frame& frame : told) {
    CHECK(std::get<Leave>(*decode(frame.type, frame.body)).epoch == 5);
    if (Stage::place_of(frame) == 90 || Stage::place_of(frame) == 40) {
      stage.answer(frame, LeaveAck{});
    }
  }
  stage.pass(milliseconds(100));
  CHECK(stage.self.mode() == Mode::leaving);  // the predecessor has not answered
  stage.answer(told[3], LeaveAck{});
  stage.pass();
  CHECK(stage.self.mode() == Mode::left);
}

TEST_CASE("a leaver whom nobody answers is gone after two seconds") {
  Stage stage = Cast{}.member();
  stage.start(LeaveNow{});
  stage.pass(seconds(2) - milliseconds(1));
  CHECK(stage.self.mode() == Mode::leaving);
  stage.pass(milliseconds(1));
  CHECK(stage.self.mode() == Mode::left);
  stage.start(LeaveNow{});
  stage.hear(40, Ping{});
  CHECK(stage.sent(MessageType::pong).empty());
}

TEST_CASE("a leaver alone is gone at once, one that never began too") {
  Stage alone;
  alone.start(Create{});
  alone.start(LeaveNow{});
  alone.pass();
  CHECK(alone.self.mode() == Mode::left);
  for (const Command& command : {Command(LeaveNow{}), Command(BeginLeave{})}) {
    Stage idle;
    idle.start(command);
    CHECK(idle.self.mode() == Mode::left);
  }
  Stage joining;
  joining.start(Join{.seeds = {"a"}});
  joining.start(BeginLeave{});
  joining.pass(minutes(2));
  CHECK(joining.dialled().empty());
}

TEST_CASE("a leaver also tells who notified it lately, up to a limit") {
  Options options;
  options.farewells = 6;
  Stage stage = Cast{}.member(10, options);
  for (unsigned place : {50u, 60u}) {
    stage.link(place);
    stage.hear(place, Notify{});
  }
  stage.others = Cast{};
  stage.pass(4 * options.stabilize_every + milliseconds(1));
  stage.others = nullptr;
  for (unsigned place = 100; place < 104; ++place) {
    stage.link(place);
    stage.hear(place, Notify{});
  }
  stage.start(LeaveNow{});
  auto told = stage.asked(MessageType::leave);
  CHECK(told.size() == 6);
  CHECK(std::count(told.begin(), told.end(), 50u) == 0);
  CHECK(std::count(told.begin(), told.end(), 100u) == 1);
}

TEST_CASE("the leave of a neighbour is acknowledged and acted upon soon") {
  Stage stage = Cast{}.member();
  stage.others = Cast{};
  stage.pass(seconds(30));
  stage.hear(40, Leave{.epoch = 1}, 77);
  auto acknowledged = stage.sent(MessageType::leave_ack);
  REQUIRE(acknowledged.size() == 1);
  CHECK(acknowledged[0].request == 77);
  CHECK(stage.self.dead(id(40)));
  stage.others = Cast{.places = {10, 90, 160, 220}};
  stage.pass(stage.self.options().stabilize_every / 4);
  CHECK(stage.self.successors().front() == peer(90));
  stage.hear(220, Leave{.epoch = 1}, 78);
  stage.pass();
  CHECK_FALSE(stage.self.predecessor());
}

TEST_CASE("the leave of an earlier life of a neighbour is ignored") {
  Stage stage = Cast{}.member();
  stage.link(40, "", 3);
  stage.hear(40, Leave{.epoch = 2}, 77);
  CHECK(stage.sent(MessageType::leave_ack).empty());
  CHECK_FALSE(stage.self.dead(id(40)));
  stage.hear(40, Leave{.epoch = 3}, 78);
  CHECK(stage.sent(MessageType::leave_ack).size() == 1);
}

TEST_SUITE_END();
