// SPDX-License-Identifier: MIT
#include "node/service/mail/mail.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;

TEST_SUITE_BEGIN("service/mail");

TEST_CASE("a letter to somebody who is there is delivered, as a request while they are strangers") {
  MailWorld w(6);
  auto name = w.send(0, {w.callee(1)}, "a game tonight?");
  REQUIRE(w.reaches(0, name, 1, SendState::delivered));
  CHECK(w.texts(1, Place::requests) == Texts{"a game tonight?"});
  CHECK(w.texts(1, Place::shown).empty());
  CHECK(w.at(1).mail.inbox().counts(w.user(1)).requests == 1);

  w.at(1).mail.inbox().accept(w.user(1), w.keys[0], [](const Result<void>&) {});
  w.net.run_for(1s);
  CHECK(w.texts(1, Place::shown) == Texts{"a game tonight?"});
  CHECK(w.at(1).mail.inbox().counts(w.user(1)).unread == 1);
}

TEST_CASE("whom one writes to is a contact from then on, with the newest that is known") {
  MailWorld w(6);
  Contacts& contacts = w.at(0).mail.contacts();
  auto known = [&]() -> const Contact& {
    const Contact* found = contacts.find(w.user(0), w.user(1));
    REQUIRE(found != nullptr);
    return *found;
  };
  w.send(0, {w.callee(1)}, "hello");
  CHECK(known().name == "person");
  CHECK(known().message_key == w.callee(1).message_key);
  CHECK(known().host == w.callee(1).host);
  CHECK(known().standing == Contact::Standing::accepted);
  PersonRef renamed{.key = w.keys[1], .name = "Bob"};
  w.send(0, {renamed}, "hello Bob");
  CHECK(known().name == "Bob");
  CHECK(known().message_key == w.callee(1).message_key);
  CHECK(known().host == w.callee(1).host);
  w.send(0, {PersonRef{.key = w.keys[1]}}, "hello again");
  CHECK(known().name == "Bob");
  std::vector<PersonRef> group;
  for (std::size_t i = 0; i <= w.options.messenger.group_size; ++i)
    group.push_back({.key = {static_cast<std::uint8_t>(i + 1)}});
  w.send(0, group, "hello all");
  CHECK(contacts.of(w.user(0)).size() == 1);
}

TEST_CASE("what arrives is announced once, to its user, with all there is to show") {
  MailWorld w(6);
  for (bool befriended : {false, true}) {
    CAPTURE(befriended);
    if (befriended) w.befriend(1, 0);
    w.net.node(w.places[1]).events.clear();
    REQUIRE(w.reaches(0, w.send(0, {w.callee(1)}, "hello"), 1, SendState::delivered));
    w.net.run_for(1s);
    const auto& events = w.net.node(w.places[1]).events;
    REQUIRE(events.size() == 1);
    CHECK(events[0].name == "message");
    Json json = json_or_null(events[0].json);
    CHECK(json["user"] == w.user(1).hex());
    CHECK(json["from"]["id"] == w.user(0).hex());
    CHECK(json["from"]["name"] == "sender");
    CHECK(json["text"] == "hello");
    CHECK(json["request"] == !befriended);
    CHECK(json["unread"] == befriended);
  }
}

TEST_CASE("an answer to one's own letter is no stranger's") {
  MailWorld w(6);
  auto question = w.send(0, {w.callee(1)}, "hello");
  REQUIRE(w.reaches(0, question, 1, SendState::delivered));
  auto answer = w.send(1, {PersonRef{.key = w.keys[0]}}, "hello yourself");  // found by its locator
  REQUIRE(w.reaches(1, answer, 0, SendState::delivered));
  CHECK(w.texts(0, Place::shown) == Texts{"hello yourself"});
}

TEST_CASE("a letter to somebody away is kept, fetched once on return, and its sender hears of it") {
  MailWorld w(8);
  PersonRef away = w.goes_away(3, 0);
  auto name = w.send(0, {away}, "when you are back");
  REQUIRE(w.reaches(0, name, 3, SendState::kept));
  w.net.start(w.places[3]);
  REQUIRE(
      w.net.run_until([&] { return w.texts(3, Place::shown) == Texts{"when you are back"}; }, 60s));
  CHECK(w.reaches(0, name, 3, SendState::delivered));
  w.net.run_for(5min);
  CHECK(w.texts(3, Place::shown) == Texts{"when you are back"});
}

TEST_CASE("a letter waits in the mailbox although its sender is gone for good") {
  MailWorld w(8);
  PersonRef away = w.goes_away(3, 0);
  auto name = w.send(0, {away}, "last words");
  REQUIRE(w.reaches(0, name, 3, SendState::kept));
  w.net.crash(w.places[0]);
  w.net.start(w.places[3]);
  CHECK(w.net.run_until([&] { return w.texts(3, Place::shown) == Texts{"last words"}; }, 60s));
}

TEST_CASE("a blocked sender sees what everybody sees, and is never shown") {
  MailWorld w(6);
  auto put = w.at(1).mail.contacts().put(w.user(1),
                                         {.key = w.keys[0], .standing = Contact::Standing::blocked},
                                         [](const Result<void>&) {});
  REQUIRE(put);
  auto name = w.send(0, {w.callee(1)}, "let me in");
  CHECK(w.reaches(0, name, 1, SendState::delivered));
  CHECK(w.texts(1, Place::shown).empty());
  CHECK(w.texts(1, Place::requests).empty());
  CHECK(w.texts(1, Place::hidden) == Texts{""});  // its text is not even kept
}

TEST_CASE("who receives nobody, or contacts only, refuses strangers") {
  for (Policy policy : {Policy::contacts, Policy::nobody}) {
    MailWorld w(6);
    User user = *w.at(1).users.me();
    user.policy = policy;
    REQUIRE(w.at(1).users.change(user, [](const Result<void>&) {}));
    auto name = w.send(0, {w.callee(1)}, "hello?");
    CHECK(w.reaches(0, name, 1, SendState::refused));
    CHECK(w.texts(1, Place::requests).empty());
  }
}

TEST_CASE("a stranger's flood stays within its small share and costs others nothing") {
  MailWorld w(6);
  for (int i = 0; i < 60; ++i) w.send(0, {w.callee(1)}, "buy this " + std::to_string(i));
  w.net.run_for(30s);
  CHECK(w.texts(1, Place::requests).size() == w.options.inbox.max_per_stranger);
  w.befriend(1, 2);
  auto name = w.send(2, {w.callee(1)}, "from a friend");
  CHECK(w.reaches(2, name, 1, SendState::delivered));
  CHECK(w.texts(1, Place::shown) == Texts{"from a friend"});
}

TEST_CASE("many strangers together cannot fill more than the requests") {
  Mail::Options options = MailWorld::quick();
  options.inbox.max_requests = 4;
  MailWorld w(10, 1, {}, options);
  std::vector<Outbox::Name> names;
  for (std::size_t i = 1; i < 10; ++i) names.push_back(w.send(i, {w.callee(0)}, "hi"));
  w.net.run_for(30s);
  CHECK(w.texts(0, Place::requests).size() == 4);
  std::size_t refused = 0;
  for (std::size_t i = 1; i < 10; ++i)
    refused += w.state(i, names[i - 1], 0) == SendState::refused ? 1 : 0;
  CHECK(refused == 5);
}

TEST_CASE(
    "a group letter reaches everybody, those away by their mailbox, over a restart of its sender") {
  MailWorld w(12);
  std::vector<PersonRef> group;
  for (std::size_t i = 1; i < 12; ++i) {
    w.befriend(i, 0);
    group.push_back(w.callee(i));
  }
  w.net.run_for(1s);
  w.net.crash(w.places[5]);
  auto name = w.send(0, group, "to all of you");
  w.net.crash(w.places[0]);
  w.net.run_for(2s);
  w.net.start(w.places[0]);
  w.net.run_for(60s);
  for (std::size_t i = 1; i < 12; ++i) {
    CAPTURE(i);
    CHECK(w.state(0, name, i) == (i == 5 ? SendState::kept : SendState::delivered));
    if (i != 5) CHECK(w.texts(i, Place::shown) == Texts{"to all of you"});
  }
}

TEST_CASE("nobody fetches another's mailbox, by the front door or by the back") {
  MailWorld w(8);
  PersonRef away = w.callee(3);
  w.net.crash(w.places[3]);
  auto name = w.send(0, {away}, "secret");
  REQUIRE(w.reaches(0, name, 3, SendState::kept));
  Id place = mailbox_key(test::test_overlay, w.user(3));
  Id keeper = w.net.true_replicas(place, 1).front();

  const User& thief = *w.at(1).users.me();
  FetchRequest request{.user = w.keys[3], .time = w.net.node(w.places[1]).now().wall};
  request.signature =
      w.signer.sign(thief.seed, fetch_signed_bytes(request, test::test_overlay, keeper));
  int refused = 0;
  auto count = [&](const Result<Frame>& frame) { refused += frame ? 0 : 1; };
  auto& node = w.net.node(w.places[1]);
  node.ask(w.net.node(keeper).self(), raw(FrameType::mailbox_req), encode(request), 5s, count);
  GetRequest back{.ring = place, .kind = ItemKind::mailbox_item};
  node.ask(w.net.node(keeper).self(), raw(FrameType::get_req), encode(back), 5s, count);
  w.net.run_for(6s);
  CHECK(refused == 2);
}

TEST_CASE("no byte of a letter is readable in any frame or on any third disk") {
  MailWorld w(8);
  bool leaked = false;
  auto holds = [](ByteView bytes) {
    return as_text(bytes).find("nightingale") != std::string_view::npos;
  };
  w.net.tap = [&](const Id&, const Id&, std::uint8_t, const Bytes& body) {
    leaked = leaked || holds(body);
  };
  PersonRef away = w.callee(3);
  w.net.crash(w.places[3]);
  auto name = w.send(0, {away}, "it was the nightingale");
  REQUIRE(w.reaches(0, name, 3, SendState::kept));
  w.net.start(w.places[3]);
  w.net.run_for(60s);
  CHECK(w.texts(3, Place::requests).size() == 1);
  CHECK_FALSE(leaked);
  for (std::size_t i : {1, 2, 4, 5, 6, 7}) {
    for (Table table : {Table::items, Table::inbox, Table::outbox}) {
      auto scanned = w.net.node(w.places[i]).disk().scan(table, {}, [&](ByteView, ByteView value) {
        leaked = leaked || holds(value);
        return true;
      });
      REQUIRE(scanned);
    }
  }
  CHECK_FALSE(leaked);
}

TEST_CASE("a letter replayed later, or by somebody else, is shown once") {
  MailWorld w(6);
  std::vector<Bytes> seen;
  w.net.tap = [&](const Id&, const Id&, std::uint8_t type, const Bytes& body) {
    if (type == raw(FrameType::deliver_req)) seen.push_back(body);
  };
  w.befriend(1, 0);
  auto name = w.send(0, {w.callee(1)}, "once");
  REQUIRE(w.reaches(0, name, 1, SendState::delivered));
  REQUIRE(seen.size() == 1);
  for (int i = 0; i < 5; ++i)
    w.net.inject(w.places[2], w.places[1], raw(FrameType::deliver_req), seen[0]);
  w.net.crash(w.places[1]);
  w.net.start(w.places[1]);
  w.net.inject(w.places[2], w.places[1], raw(FrameType::deliver_req), seen[0]);
  w.net.run_for(10s);
  CHECK(w.texts(1, Place::shown) == Texts{"once"});
}

TEST_CASE("too long, empty and broken texts and too large groups are refused with a reason") {
  MailWorld w(4);
  auto send = [&](std::string text, std::size_t callees) {
    std::vector<PersonRef> to(callees, w.callee(1));
    return w.at(0).mail.messenger().send({.from = w.user(0), .to = to, .text = std::move(text)},
                                         [](const Result<void>&) {});
  };
  CHECK_FALSE(send("", 1));
  CHECK_FALSE(send(std::string(65537, 'x'), 1));
  CHECK_FALSE(send("\xff", 1));
  CHECK_FALSE(send("x", 0));
  std::vector<PersonRef> crowd;
  for (std::size_t i = 0; i < 5001; ++i) {
    PersonRef callee;
    callee.key[0] = static_cast<std::uint8_t>(i);
    callee.key[1] = static_cast<std::uint8_t>(i >> 8);
    crowd.push_back(callee);
  }
  auto too_many = w.at(0).mail.messenger().send({.from = w.user(0), .to = crowd, .text = "x"},
                                                [](const Result<void>&) {});
  REQUIRE_FALSE(too_many);
  CHECK(too_many.error().code == ErrorCode::refused);
}

TEST_SUITE_END();
