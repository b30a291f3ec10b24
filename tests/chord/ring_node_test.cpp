// SPDX-License-Identifier: MIT
#include "chord/ring_node.h"

#include <doctest/doctest.h>

#include "chord/wire.h"
#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;

TEST_SUITE_BEGIN("chord/ring_node");

namespace {

constexpr std::uint64_t own_epoch = 5;

Now now() { return {.mono = at(1000)}; }

bool superseded(const Output& out) {
  for (const Event& event : out.events) {
    if (std::holds_alternative<Superseded>(event)) return true;
  }
  return false;
}

/// A member at place 10 with links to `count` others.
RingNode linked_member(unsigned count) {
  RingNode out({}, peer(10), own_epoch, Rng(1));
  (void)out.start(Create{}, now());
  for (unsigned i = 1; i <= count; ++i) {
    (void)out.link_up({.peer = peer(10 + 20 * i), .epoch = 1}, now());
  }
  return out;
}

Frame frame(const PeerRef& from, const Message& message, std::uint64_t request = 0) {
  return {.peer = from,
          .type = static_cast<std::uint8_t>(type_of(message)),
          .request = request,
          .body = encode(message)};
}

/// The frames of one type among what is sent.
std::vector<Frame> sent(const Output& out, MessageType type) {
  std::vector<Frame> frames;
  for (const Frame& one : out.send) {
    if (one.type == static_cast<std::uint8_t>(type)) frames.push_back(one);
  }
  return frames;
}

}  // namespace

TEST_CASE("an answer of the wrong kind ends a question, and the next is asked in its time") {
  for (const Message& answer : {Message(Pong{}), Message(NextReply{}), Message(LeaveAck{}),
                                Message(ErrorReply{Status::not_member, 0})}) {
    CAPTURE(answer.index());
    RingNode self = linked_member(1);
    (void)self.receive(frame(peer(30), Notify{}), now());
    auto asked = sent(self.tick(now()), MessageType::state_req);
    REQUIRE(asked.size() == 1);
    CHECK(self.operation_open());
    (void)self.receive(frame(peer(30), answer, asked[0].request), now());
    CHECK(!self.operation_open());
    CHECK(!self.waits_in_vain());
    Now later{.mono = now().mono + std::chrono::seconds(10)};
    CHECK(sent(self.tick(later), MessageType::state_req).size() == 1);
  }
}

TEST_CASE("no frame of any number of peers ends a peer") {
  for (unsigned count : {1u, 2u, 9u}) {
    CAPTURE(count);
    RingNode self = linked_member(count);
    for (unsigned i = 1; i <= count; ++i) {
      for (unsigned code = 0; code < 256; ++code) {  // 15 was "superseded" once
        (void)self.link_up({.peer = peer(10 + 20 * i), .epoch = 1}, now());
        Bytes body{1, static_cast<std::uint8_t>(code), 0, 0, 0, 0};
        Output out = self.receive({.peer = peer(10 + 20 * i), .type = 0x1f, .body = body}, now());
        CHECK(!superseded(out));
        CHECK(self.mode() == Mode::member);
      }
    }
  }
}

TEST_CASE("who is told of a later process with its key looks for itself and goes on meanwhile") {
  RingNode self = linked_member(9);
  for (unsigned i = 1; i <= 9; ++i) {
    Output out = self.refused_as_older(peer(10 + 20 * i), "elsewhere:1", now());
    CHECK(!superseded(out));
    CHECK(out.dial.size() == (i == 1 ? 1 : 0));
  }
  CHECK(self.mode() == Mode::member);
  (void)self.unreachable("elsewhere:1", now());
  CHECK(self.refused_as_older(peer(30), "elsewhere:1", now()).dial.size() == 1);
  CHECK(self.mode() == Mode::member);
}

TEST_CASE("hearsay of later processes takes up a bounded number of dials") {
  RingNode self = linked_member(2);
  std::size_t dials = 0;
  for (int i = 0; i < 100; ++i) {
    dials += self.refused_as_older(peer(30), "h:" + std::to_string(i + 1), now()).dial.size();
  }
  CHECK(dials == self.options().dials_at_once / 2);
}

TEST_CASE("only a later process that has proved to have our key ends us") {
  RingNode self = linked_member(2);
  for (std::uint64_t epoch : {own_epoch, own_epoch - 1}) {
    CHECK(!superseded(self.link_up({.peer = peer(10), .epoch = epoch}, now())));
    CHECK(self.mode() == Mode::member);
  }
  CHECK(superseded(self.link_up({.peer = peer(10), .epoch = own_epoch + 1}, now())));
  CHECK(self.mode() == Mode::left);
}

TEST_SUITE_END();
