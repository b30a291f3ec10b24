// SPDX-License-Identifier: MIT
// What a node reads back of messages and people when it starts again, and what it does about a row
// that it cannot read.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;
using Standing = Contact::Standing;

namespace {

void ignore(const Result<void>&) {}

/// A MailWorld whose node 1 goes down and comes back.
struct Restarting : MailWorld {
  using MailWorld::MailWorld;

  void stop() {
    net.run_for(1s);  // what was accepted is on the disk by now
    net.crash(places[1]);
  }
  void restart() {
    stop();
    net.start(places[1]);
  }
  /// Whether node 1, which is down, could start with this on its disk.
  Result<void> load(const MemoryStore::Contents& contents) {
    disk().restore(contents);
    test::MailNode node(net.node(places[1]), book, signer, {}, options);
    if (auto done = node.users.load(); !done) return done;
    return node.mail.load();
  }
  Mail& mail() { return at(1).mail; }
  MemoryStore& disk() { return net.node(places[1]).disk(); }

  void put(const UserId& user, const Contact& contact) {
    REQUIRE(mail().contacts().put(user, contact, ignore));
  }
  void stand(std::size_t other, Standing standing) {
    put(user(1), {.key = keys[other], .standing = standing});
  }
};

Contact contact(std::uint8_t n, Standing standing) {
  Contact out{.standing = standing,
              .alias = "alias-" + std::to_string(n),
              .name = "Zoë " + std::to_string(n)};
  out.key.fill(n);
  out.message_key.fill(static_cast<std::uint8_t>(n + 1));
  out.host.id.bytes.fill(static_cast<std::uint8_t>(n + 2));
  out.host.address = "10.0.0." + std::to_string(n) + ":4290";
  return out;
}

bool same(const Message& a, const Message& b) {
  return a.number == b.number && a.letter == b.letter && a.received == b.received &&
         a.unread == b.unread;
}

bool same(const Outgoing& a, const Outgoing& b) {
  return a.state == b.state && a.attempts == b.attempts && a.callee.key == b.callee.key &&
         a.callee.name == b.callee.name && a.callee.message_key == b.callee.message_key &&
         a.callee.host == b.callee.host;
}

}  // namespace

TEST_SUITE_BEGIN("service/mail_restart");

TEST_CASE("contacts come back with every field, each in the book of its user") {
  Restarting w(3);
  auto second = w.at(1).users.create(empty_profile(), ignore);
  REQUIRE(second);
  UserId first = w.user(1);
  w.put(first, contact(10, Standing::blocked));
  w.put(first, contact(20, Standing::accepted));
  w.put(*second, contact(30, Standing::blocked));
  REQUIRE(w.mail().contacts().rename(first, contact(20, {}).id(), "renamed", ignore));
  auto before = std::pair(w.mail().contacts().of(first), w.mail().contacts().of(*second));
  REQUIRE(before.first.size() == 2);
  w.restart();
  CHECK(w.mail().contacts().of(first) == before.first);
  CHECK(w.mail().contacts().of(*second) == before.second);
  CHECK(*w.mail().contacts().find(first, contact(10, {}).id()) == contact(10, Standing::blocked));
  const Contact* renamed = w.mail().contacts().by_alias(first, "renamed");
  REQUIRE(renamed != nullptr);
  CHECK(renamed->key == contact(20, {}).key);
  CHECK(w.mail().contacts().by_alias(first, "alias-20") == nullptr);
}

TEST_CASE("who was blocked or accepted before a restart still is, for letters and for calls") {
  for (Standing standing : {Standing::accepted, Standing::blocked}) {
    CAPTURE(static_cast<int>(standing));
    bool blocked = standing == Standing::blocked;
    Restarting w(6);
    w.stand(0, standing);
    w.restart();
    auto name = w.send(0, {w.callee(1)}, "after the restart");
    CHECK(w.reaches(0, name, 1, SendState::delivered));
    CHECK(w.texts(1, Place::requests).empty());
    CHECK(w.texts(1, Place::shown) == (blocked ? Texts{} : Texts{"after the restart"}));
    REQUIRE(w.at(0).mail.calls().invite({.from = w.user(0), .to = {w.callee(1)}}));
    w.net.run_for(2s);
    CHECK(w.mail().calls().all().size() == (blocked ? 0 : 1));
  }
}

TEST_CASE("whom a user receives is kept over a restart") {
  for (Policy policy : {Policy::everyone, Policy::contacts, Policy::nobody}) {
    CAPTURE(static_cast<int>(policy));
    Restarting w(6);
    User user = *w.at(1).users.me();
    user.policy = policy;
    REQUIRE(w.at(1).users.change(user, ignore));
    w.stand(2, Standing::accepted);
    w.restart();
    auto stranger = w.send(0, {w.callee(1)}, "hello");
    auto contact = w.send(2, {w.callee(1)}, "hello");
    bool all = policy == Policy::everyone;
    bool any = policy != Policy::nobody;
    CHECK(w.reaches(0, stranger, 1, all ? SendState::delivered : SendState::refused));
    CHECK(w.reaches(2, contact, 1, any ? SendState::delivered : SendState::refused));
  }
}

TEST_CASE("letters keep their place, number, moment and whether they were read") {
  Restarting w(6);
  w.stand(0, Standing::accepted);
  w.stand(3, Standing::blocked);
  for (const char* text : {"one", "two", "three"})
    REQUIRE(w.reaches(0, w.send(0, {w.callee(1)}, text), 1, SendState::delivered));
  for (const char* text : {"request", "another"})
    REQUIRE(w.reaches(2, w.send(2, {w.callee(1)}, text), 1, SendState::delivered));
  REQUIRE(w.reaches(3, w.send(3, {w.callee(1)}, "hidden"), 1, SendState::delivered));
  w.mail().inbox().mark_read(w.user(1), {.first = 2, .last = 2}, ignore);
  std::map<Place, std::vector<Message>> before;
  for (Place place : {Place::shown, Place::requests, Place::hidden})
    before[place] = *w.mail().inbox().list(w.user(1), place, 0, nullptr, 100);
  auto senders = w.mail().inbox().senders(w.user(1));
  REQUIRE(senders.size() == 2);
  w.net.run_for(1min);  // so that a moment of arrival differs from that of the restart
  w.restart();
  const Inbox& inbox = w.mail().inbox();
  CHECK(inbox.counts(w.user(1)).unread == 2);
  CHECK(inbox.counts(w.user(1)).requests == 2);
  CHECK(inbox.senders(w.user(1)) == senders);
  for (const auto& [place, messages] : before) {
    CAPTURE(static_cast<int>(place));
    auto after = inbox.list(w.user(1), place, 0, nullptr, 100);
    REQUIRE(after);
    REQUIRE(after->size() == messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) CHECK(same((*after)[i], messages[i]));
    for (const Message& message : messages) CHECK(inbox.knows(w.user(1), message.letter));
  }
  w.mail().inbox().accept(w.user(1), w.keys[2], ignore);
  w.restart();
  CHECK(w.mail().inbox().counts(w.user(1)).unread == 4);
  CHECK(w.mail().inbox().counts(w.user(1)).requests == 0);
}

TEST_CASE("what an inbox holds counts against its limits after a restart, too") {
  auto options = MailWorld::quick();
  options.inbox.max_bytes = 8;
  options.inbox.max_per_stranger = 2;
  Restarting w(6, 1, {}, options);
  w.stand(0, Standing::accepted);
  REQUIRE(w.reaches(0, w.send(0, {w.callee(1)}, "eight by"), 1, SendState::delivered));
  for (int i = 0; i < 2; ++i)
    REQUIRE(w.reaches(2, w.send(2, {w.callee(1)}, "?"), 1, SendState::delivered));
  w.restart();
  CHECK(w.reaches(0, w.send(0, {w.callee(1)}, "9"), 1, SendState::kept));
  CHECK(w.reaches(2, w.send(2, {w.callee(1)}, "?"), 1, SendState::refused));
}

TEST_CASE("a letter sealed to an older key of its recipient is opened after a restart") {
  Restarting w(6);
  w.stand(0, Standing::accepted);
  PersonRef old = w.callee(1);
  for (const Id& id : w.places) w.net.node(id).clock_skew = 8 * 24h;
  w.mail().locators().refresh(w.user(1));
  REQUIRE(w.net.run_until([&] { return w.at(1).users.me()->message_keys.size() == 2; }, 10s));
  w.restart();
  REQUIRE(w.callee(1).message_key != old.message_key);
  std::size_t tries = 0;
  w.net.tap = [&](const Id&, const Id& to, std::uint8_t type, const Bytes&) {
    if (type == raw(FrameType::deliver_req) && to == w.places[1]) ++tries;
  };
  CHECK(w.reaches(0, w.send(0, {old}, "to the old key"), 1, SendState::delivered));
  CHECK(w.texts(1, Place::shown) == Texts{"to the old key"});
  CHECK(tries == 1);  // it was not sealed anew
}

TEST_CASE("a sender knows after a restart what became of each letter, and sends none in vain") {
  auto options = MailWorld::quick();
  options.reception.rate = {.per_second = 0.001, .burst = 1, .peers = 16};
  options.messenger.first_retry = options.messenger.last_retry = 1h;
  options.messenger.first_wait = options.messenger.last_wait = 1h;
  Restarting w(8, 1, {}, options);
  User closed = *w.at(2).users.me();
  closed.policy = Policy::nobody;
  REQUIRE(w.at(2).users.change(closed, ignore));
  w.befriend(4, 1);
  PersonRef away = w.callee(3);
  away.name = "somebody away";
  w.net.run_for(1s);
  w.net.crash(w.places[3]);
  PersonRef nobody{.name = "nobody"};
  std::map<SendState, Outbox::Name> names{
      {SendState::delivered, w.send(1, {w.callee(4)}, "first")},
      {SendState::refused, w.send(1, {w.callee(2)}, "refused")},
      {SendState::kept, w.send(1, {away}, "kept")},
      {SendState::unreachable, w.send(1, {nobody}, "unreachable")}};
  w.net.run_for(30s);
  names[SendState::waiting] = w.send(1, {w.callee(4)}, "too fast");
  w.net.run_for(30s);
  auto before = w.mail().outbox().all();
  for (const auto& [state, name] : names) {
    CAPTURE(to_text(state));
    REQUIRE(before.at(name).to.begin()->second.state == state);
    REQUIRE(before.at(name).to.begin()->second.attempts == 1);
  }
  w.stop();
  std::map<Id, std::size_t> tries;  // by whom it went to
  w.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes&) {
    if (from == w.places[1] && type == raw(FrameType::deliver_req)) ++tries[to];
  };
  w.net.start(w.places[1]);
  const auto& after = w.mail().outbox().all();
  REQUIRE(after.size() == before.size());
  for (const auto& [name, sent] : before) {
    CAPTURE(sent.letter.body);
    const SentLetter& back = after.at(name);
    CHECK(back.durable);
    CHECK(back.from == sent.from);
    CHECK(back.letter == sent.letter);
    CHECK(back.expiry == sent.expiry);
    REQUIRE(back.to.size() == 1);
    CHECK(back.to.begin()->first == sent.to.begin()->first);
    CHECK(same(back.to.begin()->second, sent.to.begin()->second));
  }
  w.net.run_for(30s);
  CHECK(tries[w.places[2]] == 0);
  CHECK(tries[w.places[4]] == 1);  // the one that waits, not the one that arrived
  CHECK(tries[w.places[3]] > 0);
  CHECK(w.state(1, names[SendState::delivered], 4) == SendState::delivered);
  CHECK(w.state(1, names[SendState::kept], 3) == SendState::kept);
}

TEST_CASE("letters that expired while their sender was off are forgotten, on the disk as well") {
  Restarting w(4);
  PersonRef nobody{.name = "nobody"};
  auto name = w.send(1, {nobody}, "is anybody there?");
  w.stop();
  REQUIRE(w.disk().snapshot()[Table::outbox].size() == 2);
  for (const Id& id : w.places) w.net.node(id).clock_skew = w.options.messenger.life;
  w.net.start(w.places[1]);
  w.net.run_for(1s);
  CHECK(w.mail().outbox().find(name) == nullptr);
  CHECK(w.disk().snapshot()[Table::outbox].empty());
}

TEST_CASE("a row that cannot be read stops the start with a sentence that names it") {
  Restarting w(4);
  UserId user = w.user(1);
  w.put(user, contact(10, Standing::blocked));
  w.stand(0, Standing::accepted);
  REQUIRE(w.reaches(0, w.send(0, {w.callee(1)}, "kept here"), 1, SendState::delivered));
  REQUIRE(w.reaches(2, w.send(2, {w.callee(1)}, "a request"), 1, SendState::delivered));
  w.send(1, {w.callee(0)}, "sent from here");
  w.net.run_for(5s);
  w.mail().inbox().erase_requests(user, w.keys[2], ignore);  // leaves a row with the next number
  w.stop();
  const MemoryStore::Contents good = w.disk().snapshot();
  REQUIRE(w.load(good));
  struct Damage {
    const char* what;
    std::function<void(Bytes& key, Bytes& value)> apply;
  };
  const std::vector<Damage> damages{
      {"a value of another version", [](Bytes&, Bytes& value) { value[0] = 0x7f; }},
      {"a shorter value", [](Bytes&, Bytes& value) { value.pop_back(); }},
      {"an empty value", [](Bytes&, Bytes& value) { value.clear(); }},
      {"a longer value", [](Bytes&, Bytes& value) { value.push_back(0); }},
      {"a shorter key", [](Bytes& key, Bytes&) { key.pop_back(); }},
      {"a longer key", [](Bytes& key, Bytes&) { key.push_back(0); }},
      {"the key of another user", [](Bytes& key, Bytes&) { key[1] ^= 1; }},
      {"the key of another row", [](Bytes& key, Bytes&) { key.back() ^= 1; }},
  };
  for (Table table : {Table::contacts, Table::inbox, Table::outbox}) {
    MemoryStore::Contents all_bad = good;
    for (auto& [key, value] : all_bad[table]) value.clear();
    REQUIRE(all_bad[table].size() > 1);
    auto loaded = w.load(all_bad);  // stops at the first
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().text.find(to_hex(good.at(table).begin()->first)) != std::string::npos);
  }
  std::map<Table, std::size_t> tried;
  for (Table table : {Table::users, Table::contacts, Table::inbox, Table::outbox}) {
    for (const auto& [key, value] : good.at(table)) {
      for (const Damage& damage : damages) {
        std::string_view what = damage.what;
        bool counter = table == Table::inbox && to_hex(key).ends_with("0000000000000000");
        // What a row does not say itself: whose contact it is, the number of a message.
        if (what == "the key of another user" && (table == Table::contacts || counter)) continue;
        if (what == "the key of another row" && table == Table::inbox) continue;
        CAPTURE(static_cast<int>(table));
        CAPTURE(to_hex(key));
        CAPTURE(counter);
        CAPTURE(what);
        MemoryStore::Contents bad = good;
        Bytes bad_key = key, bad_value = value;
        damage.apply(bad_key, bad_value);
        bad[table].erase(key);
        bad[table][bad_key] = bad_value;
        auto loaded = w.load(bad);
        REQUIRE_FALSE(loaded);
        CAPTURE(loaded.error().text);
        CHECK(loaded.error().text.find("the stored ") == 0);
        CHECK(loaded.error().text.find(to_hex(bad_key)) != std::string::npos);
        CHECK(loaded.error().text.find("cannot be read") != std::string::npos);
        ++tried[table];
      }
    }
  }
  CHECK(tried.size() == 4);
}

TEST_CASE("a byte of a row with few values is read in their range and refused outside of it") {
  Restarting w(4);
  w.put(w.user(1), contact(10, Standing::blocked));
  w.stand(0, Standing::accepted);
  REQUIRE(w.reaches(0, w.send(0, {w.callee(1)}, "kept here"), 1, SendState::delivered));
  w.send(1, {w.callee(0)}, "sent from here");
  w.stop();
  const MemoryStore::Contents good = w.disk().snapshot();
  struct Field {
    const char* what;
    Table table;
    std::size_t at;
    int first;
    int last;
  };
  for (const Field& field :
       {Field{"standing", Table::contacts, 33, 1, 2}, Field{"place", Table::inbox, 1, 1, 3},
        Field{"unread", Table::inbox, 2, 0, 1},
        Field{"state", Table::outbox, 1, 0, send_states - 1}}) {
    CAPTURE(field.what);
    const auto& [key, value] = *good.at(field.table).rbegin();  // of a letter, a recipient
    for (int number = std::max(0, field.first - 1); number <= field.last + 1; ++number) {
      CAPTURE(number);
      MemoryStore::Contents changed = good;
      changed[field.table][key][field.at] = static_cast<std::uint8_t>(number);
      bool in_range = number >= field.first && number <= field.last;
      CHECK(w.load(changed).has_value() == in_range);
    }
  }
}

TEST_SUITE_END();
