// SPDX-License-Identifier: MIT
// What the parts of the mail promise over a failing disk, a restart and a clock that goes back.
#include <doctest/doctest.h>

#include "node/service/kernel/frames.h"
#include "node/service/mail/locator.h"
#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;

namespace {

struct Placed {
  std::uint64_t seq{};
  Locator locator{};
};

/// The newest locator of a person that any node holds.
std::optional<Placed> placed(MailWorld& w, std::size_t i) {
  std::optional<Placed> out;
  Id key = author_record_key(test::test_overlay, Locator::topic, w.keys[i]);
  for (std::size_t n = 0; n < w.places.size(); ++n) {
    w.at(n).replicas.table().each_at(key, ItemKind::author_item, [&](const Item& item) {
      auto record = decode_author_record(item.bytes, test::test_overlay);
      auto locator = decode<Locator>(record->payload);
      REQUIRE(locator);
      if (!out || item.info.seq > out->seq) out = Placed{item.info.seq, *locator};
      return true;
    });
  }
  return out;
}

hpke::PublicKey message_key(MailWorld& w, std::size_t i) {
  return hpke::public_key(w.at(i).users.me()->message_keys.front().secret);
}

void set_clocks(MailWorld& w, Duration skew) {
  for (const Id& id : w.places) w.net.node(id).clock_skew = skew;
}

}  // namespace

TEST_SUITE_BEGIN("service/mail_durability");

TEST_CASE("a new message key is told to the ring only once it is on the disk") {
  MailWorld w(6);
  w.at(1).mail.locators().refresh(w.user(1));
  w.net.run_for(5s);
  hpke::PublicKey old = message_key(w, 1);
  REQUIRE(placed(w, 1)->locator.message_key == old);

  set_clocks(w, 8 * 24h);
  MemoryStore& disk = w.net.node(w.places[1]).disk();
  disk.limit_bytes(disk.bytes());  // no room for one more key
  w.at(1).mail.locators().refresh(w.user(1));
  w.net.run_for(2s);
  auto told = placed(w, 1);
  CHECK((!told || told->locator.message_key == old));

  disk.limit_bytes(SIZE_MAX);
  CHECK(w.net.run_until(
      [&] {
        auto now = placed(w, 1);
        return now && now->locator.message_key != old;
      },
      1min));
  CHECK(placed(w, 1)->locator.message_key == message_key(w, 1));
}

TEST_CASE("a locator can be replaced also when the clock of its host went back") {
  for (bool restarts : {false, true}) {
    CAPTURE(restarts);
    MailWorld w(6);
    w.at(1).mail.locators().refresh(w.user(1));
    w.net.run_for(5s);
    auto before = placed(w, 1);
    REQUIRE(before);
    w.net.node(w.places[1]).clock_skew = -3min;
    if (restarts) {
      w.net.crash(w.places[1]);
      w.net.start(w.places[1]);
      w.net.run_for(5s);
    }
    w.at(1).mail.locators().refresh(w.user(1));
    w.net.run_for(20s);
    CHECK(placed(w, 1)->seq > before->seq);
  }
}

TEST_CASE("the number of a message is never given again, also after a restart") {
  MailWorld w(4);
  auto first = w.send(0, {w.callee(1)}, "from a stranger");
  REQUIRE(w.reaches(0, first, 1, SendState::delivered));
  auto requests = w.at(1).mail.inbox().list(w.user(1), Place::requests, 0, nullptr, 10);
  REQUIRE(requests);
  REQUIRE(requests->size() == 1);
  std::uint64_t number = requests->front().number;
  w.at(1).mail.inbox().erase_requests(w.user(1), w.keys[0], [](const Result<void>&) {});
  w.net.run_for(1s);
  w.net.crash(w.places[1]);
  w.net.start(w.places[1]);
  w.net.run_for(5s);
  auto second = w.send(2, {w.callee(1)}, "from another");
  REQUIRE(w.reaches(2, second, 1, SendState::delivered));
  requests = w.at(1).mail.inbox().list(w.user(1), Place::requests, 0, nullptr, 10);
  REQUIRE(requests);
  REQUIRE(requests->size() == 1);
  CHECK(requests->front().number > number);
}

TEST_CASE("who comes back to a full mailbox sends its receipts few at a time, and all of them") {
  MailWorld w(6);
  PersonRef away = w.goes_away(3, 0);
  std::vector<Outbox::Name> names;
  for (int i = 0; i < 60; ++i) names.push_back(w.send(0, {away}, std::to_string(i)));
  for (const auto& name : names) REQUIRE(w.reaches(0, name, 3, SendState::kept));
  std::size_t open = 0;
  std::size_t most = 0;
  w.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes&) {
    if (from == w.places[3] && type == raw(FrameType::deliver_req)) most = std::max(most, ++open);
    if (to == w.places[3] && type == raw(FrameType::deliver_rep)) --open;
  };
  w.net.start(w.places[3]);
  for (const auto& name : names) CHECK(w.reaches(0, name, 3, SendState::delivered));
  CHECK(most > 0);
  CHECK(most <= w.options.mailbox.receipts_at_once);
}

TEST_CASE("a node that brings letters too fast is refused and told of once, the others are not") {
  Mail::Options options = MailWorld::quick();
  options.reception.peer_rate = {.per_second = 1, .burst = 50, .peers = 16};
  options.mailbox.rate = {.per_second = 1, .burst = 20, .peers = 16};
  MailWorld w(4, 1, {}, options);
  w.befriend(1, 2);
  std::size_t answered = 0;
  w.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes&) {
    bool answer = type == raw(FrameType::deliver_rep) || type == raw(FrameType::mailbox_rep);
    if (answer && from == w.places[1] && to == w.places[0]) ++answered;
  };
  test::FakeNode& node = w.net.node(w.places[1]);
  Letter letter{.from = w.keys[0], .to = w.user(2), .body = "x"};  // who is not at node 1
  letter.time = node.now().wall;
  auto envelope = seal(letter, w.at(0).users.me()->seed, w.signer,
                       {.overlay = test::test_overlay,
                        .to_key = w.callee(2).message_key,
                        .expiry = node.now().wall + 1h,
                        .ephemeral = {7}});
  REQUIRE(envelope);
  for (int i = 0; i < 500; ++i) {
    w.net.inject(w.places[0], w.places[1], raw(FrameType::deliver_req), envelope->bytes);
    w.net.inject(w.places[0], w.places[1], raw(FrameType::mailbox_req), Bytes(8));
  }
  w.net.run_for(1s);
  CHECK(answered >= 40);  // some were used up by locators and receipts before
  CHECK(answered <= 52);
  auto told = std::ranges::count_if(node.logged, [](const LogLine& line) {
    return line.text.find("than it may") != std::string::npos;
  });
  CHECK(told == 2);  // of letters, and of mailboxes
  auto name = w.send(2, {w.callee(1)}, "hello");
  CHECK(w.reaches(2, name, 1, SendState::delivered));
}

TEST_CASE("one node cannot fill the mailbox of somebody who is away") {
  MailWorld w(6);
  PersonRef away = w.callee(3);
  w.net.run_for(1s);
  w.net.crash(w.places[3]);
  w.net.run_for(1s);
  Id key = mailbox_key(test::test_overlay, w.user(3));
  Id keeper = w.net.true_replicas(key, 1).front();
  std::size_t flooder = w.places[0] == keeper ? 1 : 0;
  for (std::uint32_t i = 0; i < 1200; ++i) {
    Letter letter{.from = w.keys[flooder], .to = w.user(3), .body = "x"};
    letter.time = w.net.node(keeper).now().wall;
    auto envelope = seal(letter, w.at(flooder).users.me()->seed, w.signer,
                         {.overlay = test::test_overlay,
                          .to_key = away.message_key,
                          .expiry = w.net.node(keeper).now().wall + 24h,
                          .ephemeral = w.net.node(keeper).secrets().next()});
    REQUIRE(envelope);
    PutRequest put{{{.raw_item = {key, ItemKind::mailbox_item, envelope->bytes}}}};
    w.net.inject(w.places[flooder], keeper, raw(FrameType::put_req), encode(put));
    if (i % 50 == 0) w.net.run_for(100ms);
  }
  w.net.run_for(1s);
  std::size_t kept = 0;
  w.at(keeper).replicas.table().each_at(key, ItemKind::mailbox_item, [&](const Item&) {
    ++kept;
    return true;
  });
  CHECK(kept >= 100);
  CHECK(kept < 110);
  auto name = w.send(5, {away}, "still room");
  CHECK(w.reaches(5, name, 3, SendState::kept));
}

TEST_SUITE_END();
