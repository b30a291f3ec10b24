// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;

namespace {

void block(MailWorld& w, std::size_t i, std::size_t other) {
  Contact contact{.key = w.keys[other], .standing = Contact::Standing::blocked};
  REQUIRE(w.at(i).mail.contacts().put(w.user(i), contact, [](const Result<void>&) {}));
}

void set_policy(MailWorld& w, std::size_t i, Policy policy) {
  User user = *w.at(i).users.me();
  user.policy = policy;
  REQUIRE(w.at(i).users.change(user, [](const Result<void>&) {}));
}

Mail::Options two_letters_at_once() {
  auto options = MailWorld::quick();
  options.reception.rate = {.per_second = 0.001, .burst = 2, .peers = 16};
  return options;
}

}  // namespace

TEST_SUITE_BEGIN("service/hostile_mail");

TEST_CASE("no letter of a full mailbox is lost because many come at once") {
  MailWorld w(8, 1, {}, two_letters_at_once());
  PersonRef away = w.goes_away(3, 0);
  for (int i = 0; i < 6; ++i) {
    auto name = w.send(0, {away}, "letter " + std::to_string(i));
    REQUIRE(w.reaches(0, name, 3, SendState::kept));
  }
  w.net.crash(w.places[0]);  // for good: the mailbox has the only copies
  w.net.start(w.places[3]);
  w.net.run_for(2min);
  CHECK(w.texts(3, Place::shown).size() == 6);
}

TEST_CASE("a keeper that shows the end of a mailbox only hides nothing that others keep") {
  MailWorld w(8);
  auto keepers = [&](std::size_t i) {
    return w.net.true_replicas(mailbox_key(test::test_overlay, w.user(i)), 3);
  };
  std::size_t to = 1;
  while (std::ranges::count(keepers(to), w.places[to]) != 0) ++to;
  w.befriend(to, 0);
  PersonRef away = w.callee(to);
  w.net.run_for(1s);
  w.net.crash(w.places[to]);
  for (const char* text : {"one", "two", "three"})
    REQUIRE(w.reaches(0, w.send(0, {away}, text), to, SendState::kept));
  Bytes last{0};  // no letter at all, but behind all letters
  while (MailboxRules::mailbox_item_id(last).bytes[0] != 0xff) last.push_back(0);
  auto& liar = w.net.node(keepers(to).front());
  std::size_t asked = 0;
  liar.on(raw(FrameType::mailbox_req), [&](const Request& request) {
    FetchReply reply{};
    if (++asked % 2 == 1) reply = {.more = true, .envelopes = {last}};
    liar.reply(request, raw(FrameType::mailbox_rep), encode(reply));
  });
  w.net.crash(w.places[0]);
  w.net.start(w.places[to]);
  w.net.run_for(10s);
  CHECK(asked == 2);
  CHECK(w.texts(to, Inbox::Place::shown).size() == 3);
}

TEST_CASE("who is blocked is answered like anybody else when nobody may write") {
  MailWorld w(6);
  block(w, 1, 2);
  set_policy(w, 1, Policy::nobody);
  auto plain = w.send(0, {w.callee(1)}, "hello");
  auto blocked = w.send(2, {w.callee(1)}, "hello");
  CHECK(w.reaches(0, plain, 1, SendState::refused));
  CHECK(w.reaches(2, blocked, 1, SendState::refused));
}

TEST_CASE("who is blocked may write as often as a stranger who gets no answer") {
  MailWorld w(6);
  block(w, 1, 2);
  for (std::size_t from : {0U, 2U}) {
    CAPTURE(from);
    for (std::size_t i = 0; i < w.options.inbox.max_per_stranger; ++i)
      CHECK(w.reaches(from, w.send(from, {w.callee(1)}, "please"), 1, SendState::delivered));
    CHECK(w.reaches(from, w.send(from, {w.callee(1)}, "please"), 1, SendState::refused));
  }
}

TEST_CASE("who is blocked may write no faster than anybody else") {
  MailWorld w(6, 1, {}, two_letters_at_once());
  block(w, 1, 2);
  w.befriend(1, 0);
  for (std::size_t from : {0U, 2U}) {
    CAPTURE(from);
    for (int i = 0; i < 2; ++i) {
      CHECK(w.reaches(from, w.send(from, {w.callee(1)}, "again"), 1, SendState::delivered));
    }
    CHECK(w.reaches(from, w.send(from, {w.callee(1)}, "again"), 1, SendState::waiting));
  }
}

TEST_CASE("each of many letters of blocked senders gets its answer while the disk is slow") {
  auto options = MailWorld::quick();
  options.inbox.max_hidden = 4;
  MailWorld w(4, 1, {}, options);
  std::size_t answered = 0;
  for (std::uint8_t i = 0; i < 20; ++i) {
    Letter letter{.from = w.keys[2], .to = w.user(1), .id = {i}, .body = "x"};
    w.at(1).mail.inbox().add(w.user(1), letter, Place::hidden,
                             [&](const Result<void>&) { ++answered; });
  }
  w.net.run_for(10s);
  CHECK(answered == 20);
}

TEST_CASE("thousands of people who cannot be reached do not need a timer each") {
  MailWorld w(4);
  std::vector<PersonRef> nobody;
  for (std::uint32_t i = 0; i < 300; ++i) {
    PersonRef callee{.name = "nobody"};
    callee.key[0] = static_cast<std::uint8_t>(i);
    callee.key[1] = static_cast<std::uint8_t>(i >> 8);
    nobody.push_back(callee);
  }
  auto name = w.send(0, nobody, "is anybody there?");
  auto tried = [&](std::uint32_t times) {
    const SentLetter& sent = *w.at(0).mail.outbox().find(name);
    return std::all_of(sent.to.begin(), sent.to.end(),
                       [&](const auto& entry) { return entry.second.attempts >= times; });
  };
  REQUIRE(w.net.run_until([&] { return tried(1); }, 5min));
  CHECK(w.net.node(w.places[0]).timers() < 50);
  CHECK(w.net.run_until([&] { return tried(3); }, 10min));
}

TEST_CASE("an envelope or acknowledgement that expires at an impossible time is malformed") {
  test::FastSigner signer;
  MailboxRules rules(test::test_overlay, signer);
  SecretSeed seed{1};
  PublicKey key = signer.public_key(seed);
  for (std::int64_t ms : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                          std::numeric_limits<std::int64_t>::max()}) {
    CAPTURE(ms);
    MailboxAck ack{.recipient = key, .expiry = wall_from_ms(ms)};
    Bytes bytes = sign_mailbox_ack(ack, test::test_overlay, seed, signer);
    CHECK_FALSE(rules.read(mailbox_key(test::test_overlay, user_id(key)), bytes));
  }
}

TEST_SUITE_END();
