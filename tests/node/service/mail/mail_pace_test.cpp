// SPDX-License-Identifier: MIT
// Who writes a lot, to one person or to many: nothing is lost, nothing grows without end.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;

namespace {

Mail::Options two_at_once() {
  auto options = MailWorld::quick();
  options.reception.rate = {.per_second = 1, .burst = 2, .peers = 16};
  return options;
}

void ignore(const Result<void>&) {}

}  // namespace

TEST_SUITE_BEGIN("service/mail_pace");

TEST_CASE("letters that come too fast wait and arrive, each once") {
  MailWorld w(4, 1, {}, two_at_once());
  w.befriend(1, 0);
  std::vector<Outbox::Name> names;
  Texts wanted;
  for (int i = 0; i < 12; ++i) {
    wanted.push_back("letter " + std::to_string(i));
    names.push_back(w.send(0, {w.callee(1)}, wanted.back()));
  }
  CHECK(w.reaches(0, names.back(), 1, SendState::waiting, 2s));
  for (const auto& name : names) CHECK(w.reaches(0, name, 1, SendState::delivered, 2min));
  w.net.run_for(1min);
  auto found = w.texts(1, Place::shown);
  std::sort(found.begin(), found.end());
  std::sort(wanted.begin(), wanted.end());
  CHECK(found == wanted);
}

TEST_CASE("letters that wait are still there after a restart of their sender") {
  MailWorld w(4, 1, {}, two_at_once());
  w.befriend(1, 0);
  std::vector<Outbox::Name> names;
  for (int i = 0; i < 6; ++i) names.push_back(w.send(0, {w.callee(1)}, std::to_string(i)));
  w.net.run_for(1s);
  w.net.crash(w.places[0]);
  w.net.start(w.places[0]);
  for (const auto& name : names) CHECK(w.reaches(0, name, 1, SendState::delivered, 2min));
  CHECK(w.texts(1, Place::shown).size() == 6);
}

TEST_CASE("a group hosted by one node gets its letter at once: the pace is per person") {
  MailWorld w(4, 1, {}, two_at_once());
  std::vector<PersonRef> group;
  for (int i = 0; i < 40; ++i) {
    auto made = w.at(1).users.create(empty_profile(), ignore);
    REQUIRE(made);
  }
  for (const auto& [id, user] : w.at(1).users.all()) {
    group.push_back({.key = user.key,
                     .message_key = hpke::public_key(user.message_keys.front().secret),
                     .host = w.net.node(w.places[1]).self()});
  }
  auto name = w.send(0, group, "to all of you");
  auto delivered = [&] {
    const SentLetter& sent = *w.at(0).mail.outbox().find(name);
    return std::all_of(sent.to.begin(), sent.to.end(), [](const auto& entry) {
      return entry.second.state == SendState::delivered;
    });
  };
  CHECK(w.net.run_until(delivered, 5s));
}

TEST_CASE("a full inbox loses nothing: what is old and read makes room, what is new waits") {
  auto options = MailWorld::quick();
  options.inbox.max_messages = 3;
  MailWorld w(6, 1, {}, options);
  w.befriend(1, 0);
  for (int i = 0; i < 3; ++i)
    REQUIRE(w.reaches(0, w.send(0, {w.callee(1)}, std::to_string(i)), 1, SendState::delivered));
  auto fourth = w.send(0, {w.callee(1)}, "3");
  CHECK(w.reaches(0, fourth, 1, SendState::kept));  // in the mailbox, until there is room
  w.at(1).mail.inbox().mark_read(w.user(1), {.first = 1, .last = 2}, ignore);
  w.net.run_for(1min);
  CHECK(w.texts(1, Place::shown) == Texts{"0", "1", "2"});  // a replay of them is still possible
  for (const Id& id : w.places) w.net.node(id).clock_skew += 13 * 24h;
  w.net.run_for(1min);
  CHECK(w.texts(1, Place::shown) == Texts{"0", "1", "2"});
  for (const Id& id : w.places) w.net.node(id).clock_skew += 25h;
  auto fifth = w.send(0, {w.callee(1)}, "4");
  CHECK(w.reaches(0, fifth, 1, SendState::delivered));
  CHECK(w.texts(1, Place::shown) == Texts{"1", "2", "4"});  // the unread one stays in any case
  auto sixth = w.send(0, {w.callee(1)}, "5");
  CHECK(w.reaches(0, sixth, 1, SendState::delivered));
  CHECK(w.texts(1, Place::shown) == Texts{"2", "4", "5"});
  CHECK(w.reaches(0, w.send(0, {w.callee(1)}, "6"), 1, SendState::kept));
}

TEST_CASE("a full outbox forgets what has arrived, and refuses when nothing has") {
  auto options = MailWorld::quick();
  options.outbox.max_postings = 3;
  MailWorld w(4, 1, {}, options);
  w.befriend(1, 0);
  std::vector<Outbox::Name> names;
  for (int i = 0; i < 5; ++i) {
    names.push_back(w.send(0, {w.callee(1)}, "letter " + std::to_string(i)));
    REQUIRE(w.reaches(0, names.back(), 1, SendState::delivered));
    w.net.run_for(1s);
  }
  CHECK(w.texts(1, Place::shown).size() == 5);
  CHECK(w.at(0).mail.outbox().find(names[1]) == nullptr);
  CHECK(w.at(0).mail.outbox().find(names[4]) != nullptr);
  w.net.crash(w.places[0]);  // the disk forgot them, too
  w.net.start(w.places[0]);
  CHECK(w.at(0).mail.outbox().all().size() == 3);

  PersonRef nobody{.name = "nobody"};
  for (int i = 0; i < 3; ++i) w.send(0, {nobody}, "is anybody there?");
  auto refused = w.at(0).mail.messenger().send(
      {.from = w.user(0), .to = {nobody}, .text = "and now?"}, ignore);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::refused);
}

TEST_CASE("a letter that the sender's disk refuses is not promised, and is not tried again") {
  MailWorld w(4);
  PersonRef away = w.callee(1);
  w.net.crash(w.places[1]);
  w.net.run_for(1s);
  w.net.node(w.places[0]).disk().limit_bytes(0);
  std::optional<Result<void>> accepted;
  auto name = w.at(0).mail.messenger().send({.from = w.user(0), .to = {away}, .text = "hello"},
                                            [&](const Result<void>& r) { accepted = r; });
  REQUIRE(name);
  w.net.run_for(10s);
  REQUIRE(accepted);
  CHECK_FALSE(accepted->has_value());
  CHECK(w.at(0).mail.outbox().find(*name) == nullptr);
}

TEST_SUITE_END();
