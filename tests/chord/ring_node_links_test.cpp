// SPDX-License-Identifier: MIT
// Links and messages of a node: lives of other processes, limits, and answers.
#include "tests/chord/stage.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_SUITE_BEGIN("chord/ring_node, links and messages");

namespace {

/// How many of many requests are answered, the others being refused as too many.
int answered(Stage& stage, const Message& question, MessageType reply) {
  for (int i = 0; i < 50; ++i) stage.hear(40, question, 1 + static_cast<std::uint64_t>(i));
  auto refused = stage.sent(MessageType::error);
  for (const Frame& frame : refused) {
    auto error = std::get<ErrorReply>(*decode(frame.type, frame.body));
    CHECK(error.code == Status::rate);
    CHECK(error.retry_after_ms == 1000);
  }
  auto good = stage.sent(reply);
  CHECK(good.size() + refused.size() == 50);
  return static_cast<int>(good.size());
}

PingDone ping(Stage& stage, const std::optional<Message>& reply) {
  stage.start(PingPeer{.tag = 3, .peer = peer(40)});
  Frame asked = stage.sent(MessageType::ping).at(0);
  stage.t += milliseconds(30);
  if (reply) {
    stage.answer(asked, *reply);
  } else {
    stage.pass(seconds(10));
  }
  auto done = stage.told<PingDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].tag == 3);
  CHECK(done[0].peer == peer(40));
  return done[0];
}

}  // namespace

TEST_CASE("an earlier life of a peer is refused while the later is linked and a minute longer") {
  Options options;
  Stage stage = Cast{}.member();
  stage.link(40, "", 7);
  stage.t += 2 * options.epoch_memory;
  stage.link(40, "", 6);  // still linked
  CHECK(stage.closed() == std::vector<Id>{id(40)});
  CHECK(stage.logged().size() == 1);
  stage.t += options.epoch_memory - milliseconds(1);
  stage.link(40, "", 6);
  CHECK(stage.closed().size() == 1);
  CHECK_FALSE(stage.self.linked().contains(id(40)));
  stage.t += milliseconds(1);
  stage.link(40, "", 6);
  CHECK(stage.closed().empty());
  CHECK(stage.self.linked().at(id(40)) == 6);
}

TEST_CASE("a later life of a peer takes over its link") {
  Stage stage = Cast{}.member();
  stage.link(40, "", 7);
  stage.hear(40, Leave{.epoch = 7}, 1);
  CHECK(stage.self.dead(id(40)));
  stage.link(40, "", 8);
  CHECK_FALSE(stage.self.dead(id(40)));
  CHECK(stage.self.linked().at(id(40)) == 8);
  CHECK(stage.closed().empty());
}

TEST_CASE(
    "what was asked of an earlier life is asked once more, and round trips are measured anew") {
  Stage stage = Cast{}.member();
  stage.start(FindOwner{.tag = 1, .key = id(50), .freshness = Freshness::routed});
  auto asked = stage.sent(MessageType::next_req);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].peer == peer(40));
  stage.start(PingPeer{.tag = 2, .peer = peer(40)});
  stage.t += milliseconds(5);
  stage.answer(stage.sent(MessageType::ping).at(0), Pong{.mode = Mode::member});
  CHECK(stage.self.round_trip(id(40)) == milliseconds(5));
  stage.link(40, "", 2);
  CHECK_FALSE(stage.self.round_trip(id(40)));
  stage.pass(stage.self.options().first_timeout);
  CHECK(stage.asked(MessageType::next_req) == std::vector<unsigned>{40});
}

TEST_CASE("a handshake is a sign of life") {
  Stage stage = Cast{}.member();
  stage.unlink(40);
  stage.no_way_to(40);
  stage.no_way_to(40);
  CHECK(stage.self.dead(id(40)));
  stage.link(40);
  CHECK_FALSE(stage.self.dead(id(40)));
}

TEST_CASE("strangers who call on us do not crowd out a peer that answered us") {
  Options options;
  options.known_peers = 2;
  Stage stage(10, options);
  stage.start(Create{});
  stage.link(40);
  stage.start(PingPeer{.tag = 1, .peer = peer(40)});
  stage.answer(stage.sent(MessageType::ping).at(0), Pong{.mode = Mode::member});
  for (unsigned place = 100; place < 110; ++place) {
    stage.t += milliseconds(1);
    stage.link(place);
  }
  CHECK(stage.self.known() == peers({40, 109}));
}

TEST_CASE("of more lives than are kept, one without a link is forgotten first") {
  Options options;
  options.tracked_peers = 3;
  Stage stage(10, options);
  stage.start(Create{});
  for (unsigned place : {40u, 90u, 160u}) stage.link(place, "", 7);
  stage.unlink(90);
  stage.link(220, "", 7);
  stage.link(40, "", 6);
  CHECK(stage.closed() == std::vector<Id>{id(40)});
  stage.link(90, "", 6);
  CHECK(stage.closed().empty());
}

TEST_CASE("frames count only over a link, and one that cannot be read ends it") {
  Stage stage = Cast{}.member();
  stage.hear(77, Ping{}, 1);
  CHECK(stage.sent(MessageType::pong).empty());
  Output out = stage.self.receive({.peer = peer(40), .type = 0x0d, .body = {1, 9}}, stage.now());
  CHECK(out.close == std::vector<Id>{id(40)});
  CHECK(out.log.size() == 1);
  CHECK_FALSE(stage.self.linked().contains(id(40)));
}

TEST_CASE("a request of a later version is answered with unsupported, and its link stays") {
  Stage stage;
  stage.start(Create{});
  stage.link(20);
  auto hear = [&](std::uint8_t type, std::uint64_t request, const Bytes& body) {
    Frame frame{.peer = peer(20), .type = type, .request = request, .body = body};
    Output out = stage.self.receive(frame, stage.now());
    CHECK(out.close.empty());
    REQUIRE(stage.self.linked().contains(id(20)));
    return out.send;
  };
  for (const auto& [type, body] : {std::pair{std::uint8_t{0x11}, Bytes{}},
                                   {std::uint8_t{0x1d}, Bytes(500, 3)},
                                   {std::uint8_t{0x08}, Bytes{2, 9, 9}}}) {
    auto sent = hear(type, ring_request_bit + 77, body);
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].request == ring_request_bit + 77);
    auto reply = decode(sent[0].type, sent[0].body);
    REQUIRE(reply);
    CHECK(std::get<ErrorReply>(*reply) == ErrorReply{Status::unsupported});
  }
  CHECK(hear(0x13, 0, Bytes{1}).empty());                      // one way
  CHECK(hear(0x12, ring_request_bit + 77, Bytes{1}).empty());  // answers what nobody asked
  CHECK(stage.self.unknown_messages() == 5);
}

TEST_CASE("a reply that only later versions know ends the request that it answers") {
  Stage stage;
  stage.start(Create{});
  stage.link(20);
  stage.start(PingPeer{.tag = 1, .peer = peer(20)});
  auto asked = stage.sent(MessageType::ping);
  REQUIRE(asked.size() == 1);
  Frame frame{.peer = peer(20), .type = 0x12, .request = asked[0].request, .body = {2}};
  Output out = stage.self.receive(frame, stage.now());
  REQUIRE(out.events.size() == 1);
  CHECK_FALSE(std::get<PingDone>(out.events[0]).round_trip);
  CHECK(stage.self.open_requests() == 0);
}

TEST_CASE("requests beyond a peer's rate are refused, twice the rate passes at once") {
  Options options;
  options.state_rate = 3;
  options.next_rate = 4;
  options.ping_rate = 5;
  Stage stage = Cast{}.member(10, options);
  CHECK(answered(stage, StateRequest{}, MessageType::state_rep) == 6);
  CHECK(answered(stage, NextRequest{id(99)}, MessageType::next_rep) == 8);
  CHECK(answered(stage, Ping{}, MessageType::pong) == 10);
  stage.link(90);
  stage.hear(90, Ping{.nonce = 12}, 5);
  auto pongs = stage.sent(MessageType::pong);
  REQUIRE(pongs.size() == 1);
  CHECK(pongs[0].request == 5);
  auto pong = std::get<Pong>(*decode(pongs[0].type, pongs[0].body));
  CHECK(pong.nonce == 12);
  CHECK(pong.mode == Mode::member);
}

TEST_CASE("notifications beyond a peer's rate are ignored") {
  Options options;
  options.notify_rate = 2;
  Stage stage = Cast{}.member(10, options);
  stage.hear(160, Notify{});  // asks the predecessor whether it lives
  Frame asked = stage.sent(MessageType::ping).at(0);
  for (int i = 0; i < 10; ++i) stage.hear(160, Notify{});
  stage.answer(asked, Pong{.mode = Mode::member});
  stage.hear(160, Notify{});
  CHECK(stage.sent(MessageType::ping).empty());
  stage.t += seconds(1);
  stage.hear(160, Notify{});
  CHECK(stage.sent(MessageType::ping).size() == 1);
}

TEST_CASE("a peer that is asked the way names its list and the fingers before the key") {
  Stage stage = Cast{}.member();
  stage.others = Cast{};
  stage.pass(seconds(300));
  stage.hear(40, NextRequest{id(200)}, 8);
  auto replies = stage.sent(MessageType::next_rep);
  REQUIRE(replies.size() == 1);
  auto reply = std::get<NextReply>(*decode(replies[0].type, replies[0].body));
  CHECK(reply.mode == Mode::member);
  CHECK(reply.predecessor == peer(220));
  CHECK(reply.successors == peers({40, 90, 160, 220}));
  CHECK(reply.closer == peers({160, 90}));
}

TEST_CASE("a ping tells the round trip, silence, or a peer that is busy") {
  Stage stage = Cast{}.member();
  PingDone good = ping(stage, Pong{.mode = Mode::member});
  CHECK(good.round_trip == milliseconds(30));
  CHECK_FALSE(good.busy);
  PingDone busy = ping(stage, ErrorReply{Status::rate, 1000});
  CHECK_FALSE(busy.round_trip);
  CHECK(busy.busy);
  PingDone refused = ping(stage, ErrorReply{Status::not_member, 0});
  CHECK_FALSE(refused.round_trip);
  CHECK_FALSE(refused.busy);
  PingDone silent = ping(stage, std::nullopt);
  CHECK_FALSE(silent.round_trip);
  CHECK_FALSE(silent.busy);
}

TEST_CASE("the time that dialling takes is no part of a round trip") {
  Stage stage;
  stage.start(Create{});
  stage.start(PingPeer{.tag = 1, .peer = peer(40)});
  Frame asked = stage.sent(MessageType::ping).at(0);
  stage.t += milliseconds(500);
  stage.link(40);
  stage.t += milliseconds(20);
  stage.answer(asked, Pong{.mode = Mode::member});
  CHECK(stage.told<PingDone>().at(0).round_trip == milliseconds(20));
  CHECK(stage.self.round_trip(id(40)) == milliseconds(20));
}

TEST_CASE("dials that fail twice are a verdict, but say nothing of a peer with a link") {
  Stage stage = Cast{}.member();
  for (int i = 0; i < 3; ++i) stage.no_way_to(40);
  CHECK_FALSE(stage.self.suspected(id(40)));
  stage.unlink(40);
  stage.no_way_to(40);
  CHECK(stage.self.suspected(id(40)));
  CHECK_FALSE(stage.self.dead(id(40)));
  stage.no_way_to(40);
  CHECK(stage.self.dead(id(40)));
  CHECK(stage.self.passive() == peers({40}));
  stage.no_way_to(77);
  stage.no_way_to(77);
  CHECK(stage.self.passive() == peers({40}));  // 77 was no neighbour
}

TEST_CASE("beyond so many requests under way nobody is asked, and nobody is held dead for it") {
  Options options;
  options.open_requests = 2;
  Stage stage = Cast{}.member(10, options);
  for (unsigned i = 1; i <= 3; ++i) stage.start(PingPeer{.tag = i, .peer = peer(40)});
  CHECK(stage.sent(MessageType::ping).size() == 2);
  auto done = stage.told<PingDone>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].tag == 3);
  CHECK(done[0].busy);
}

TEST_CASE(
    "the size of the ring is told by the list, as long as it holds all, then by its density") {
  Stage alone;
  alone.start(Create{});
  CHECK(alone.self.size_estimate() == 1);
  CHECK_FALSE(alone.self.degraded());
  CHECK(Cast{}.member().self.size_estimate() == 5);
  Stage stage(0, [] {
    Options options;
    options.list_length = 4;
    return options;
  }());
  stage.start(Assume{peer(250), peers({8, 16, 24, 32}), {}});  // an eighth of the ring
  CHECK(stage.self.size_estimate() == doctest::Approx(32));
}

TEST_CASE("neighbours are each named once") {
  Stage stage = Cast{}.member();
  stage.others = Cast{};
  stage.pass(seconds(300));
  CHECK(stage.self.neighbours() == peers({40, 90, 160, 220}));
}

TEST_CASE("the log tells once when a peer counts as dead, why, and when it is alive after all") {
  Stage stage;
  stage.start(Create{});
  std::vector<std::string> lines;
  auto keep = [&](const Output& out) {
    for (const LogLine& line : out.log) {
      CHECK(line.level == LogLevel::debug);
      lines.push_back(to_text(line));
    }
  };
  for (int i = 0; i < 4; ++i) {
    keep(stage.self.unreachable(peer(40), {stage.t, {}}));
    stage.t += seconds(1);
  }
  CHECK(stage.self.dead(id(40)));
  for (int i = 0; i < 2; ++i) {
    keep(stage.self.link_up({.peer = peer(40), .epoch = 1}, {stage.t, {}}));
  }
  CHECK(lines == std::vector<std::string>{
                     "a peer counts as dead peer=28000000 address=n40 reason=\"cannot be dialled\"",
                     "a peer that counted as dead is alive peer=28000000 address=n40"});
}

TEST_CASE("changes are told once, with what was before") {
  Stage stage;
  stage.start(Create{});
  auto modes = stage.told<ModeChanged>();
  REQUIRE(modes.size() == 1);
  CHECK(modes[0].from == Mode::idle);
  CHECK(modes[0].to == Mode::member);
  stage.link(40);
  stage.hear(40, Notify{});
  auto before = stage.told<PredecessorChanged>();
  REQUIRE(before.size() == 1);
  CHECK_FALSE(before[0].from);
  CHECK(before[0].to == peer(40));
  stage.others = Cast{.places = {10, 40}};
  stage.pass();
  auto lists = stage.told<SuccessorsChanged>();
  REQUIRE(lists.size() == 1);
  CHECK(lists[0].from.empty());
  CHECK(lists[0].to == peers({40}));
  stage.pass(seconds(20));
  CHECK(stage.told<SuccessorsChanged>().empty());
}

TEST_SUITE_END();
