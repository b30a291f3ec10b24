// SPDX-License-Identifier: MIT
// Every limit of messages and calls: what it allows is taken, one more is not.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;
using State = Call::State;
using Op = CallMessage::Op;

namespace {

void ignore(const Result<void>&) {}

PublicKey key_of(std::uint32_t n) {
  PublicKey out{};
  out[0] = static_cast<std::uint8_t>(n);
  out[1] = static_cast<std::uint8_t>(n >> 8);
  out[2] = 0xee;
  return out;
}

std::vector<PersonRef> people(std::uint32_t count) {
  std::vector<PersonRef> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back({.key = key_of(i)});
  return out;
}

Mail::Options with(const std::function<void(Mail::Options&)>& change) {
  Mail::Options out = MailWorld::quick();
  change(out);
  return out;
}

/// A MailWorld in which node 0 hands letters to node 1 by hand.
struct Limited : MailWorld {
  explicit Limited(
      const std::function<void(Mail::Options&)>& change = [](Mail::Options&) {},
      std::size_t nodes = 4)
      : MailWorld(nodes, 1, {}, with(change)) {}

  Mail& mail(std::size_t i = 1) { return at(i).mail; }
  WallTime now() { return net.node(places[1]).now().wall; }

  /// What became of adding a letter of that size; none: it was taken.
  std::optional<ErrorCode> add(Place place, std::uint32_t sender, std::size_t size) {
    Letter letter{.from = key_of(sender), .to = user(1), .time = now()};
    letter.id[0] = static_cast<std::uint8_t>(++added_);
    letter.id[1] = static_cast<std::uint8_t>(added_ >> 8);
    letter.body.assign(size, 'x');
    std::optional<Result<void>> out;
    mail().inbox().add(user(1), letter, place, [&](const Result<void>& r) { out = r; });
    REQUIRE(net.run_until([&] { return out.has_value(); }, 1s));
    return *out ? std::nullopt : std::optional(out->error().code);
  }

  /// How node 1 answers a request of node 0.
  Result<Frame> ask(FrameType type, const Bytes& body) {
    std::optional<Result<Frame>> out;
    net.node(places[0]).ask(net.node(places[1]).self(), raw(type), body, 5s,
                            [&](Result<Frame> r) { out = std::move(r); });
    REQUIRE(net.run_until([&] { return out.has_value(); }, 10s));
    return *out;
  }
  Bytes sealed(WallTime expiry, const hpke::PublicKey& to_key) {
    Letter letter{.from = keys[0], .to = user(1), .time = now(), .body = "x"};
    letter.id[0] = static_cast<std::uint8_t>(++added_);
    auto out = seal(letter, at(0).users.me()->seed, signer,
                    {.overlay = test::test_overlay,
                     .to_key = to_key,
                     .expiry = expiry,
                     .ephemeral = net.node(places[0]).secrets().next()});
    REQUIRE(out);
    return out->bytes;
  }
  Delivery deliver(WallTime expiry) {
    auto reply = ask(FrameType::deliver_req, sealed(expiry, callee(1).message_key));
    REQUIRE(reply);
    return decode<DeliverReply>(reply->body)->outcome;
  }

  /// A message of a call, as it comes out of a letter from that person to node 1's user.
  Delivery hear(std::uint32_t from, std::uint8_t call, Op op, Duration age = {}) {
    Letter letter{.from = key_of(from), .to = user(1), .kind = Letter::Kind::call};
    letter.thread[0] = call;
    letter.thread[1] = static_cast<std::uint8_t>(from);
    letter.time = now() - std::chrono::duration_cast<std::chrono::milliseconds>(age);
    letter.body = encode(CallMessage{.op = op, .count = ++heard_});
    return mail().calls().take(*at(1).users.me(), letter);
  }
  std::size_t calls_in(State state) {
    const auto& all = mail().calls().all();
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const auto& entry) { return entry.second.state == state; }));
  }

 private:
  std::uint32_t added_ = 0;
  std::uint64_t heard_ = 0;
};

/// How many requests of a type one node has open at once, at most.
struct Open {
  Open(MailWorld& w, std::size_t node, FrameType type) {
    w.net.tap = [this, id = w.places[node], type](const Id& from, const Id& to, std::uint8_t sent,
                                                  const Bytes&) {
      if (from == id && sent == raw(type)) most = std::max(most, ++now);
      if (to == id && (sent == raw(reply_to(type)) || sent == raw(FrameType::error))) --now;
    };
  }
  std::size_t now = 0;
  std::size_t most = 0;
};

}  // namespace

TEST_SUITE_BEGIN("service/mail_limits");

TEST_CASE("a book holds max_contacts, of each user, and those it has can change when it is full") {
  Limited w([](auto& o) { o.contacts.max_contacts = 3; });
  Contacts& contacts = w.mail().contacts();
  auto second = w.at(1).users.create(empty_profile(), ignore);
  REQUIRE(second);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(contacts.put(w.user(1), {.key = key_of(i)}, ignore));
  auto refused = contacts.put(w.user(1), {.key = key_of(3)}, ignore);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::refused);
  CHECK(contacts.find(w.user(1), user_id(key_of(3))) == nullptr);
  Contact blocked{.key = key_of(2), .standing = Contact::Standing::blocked};
  CHECK(contacts.put(w.user(1), blocked, ignore));
  CHECK(contacts.find(w.user(1), blocked.id())->standing == Contact::Standing::blocked);
  CHECK(contacts.put(*second, {.key = key_of(3)}, ignore));
}

TEST_CASE("an alias has 1 to max_alias plain characters and belongs to one contact") {
  Limited w([](auto& o) { o.contacts.max_alias = 6; });
  Contacts& contacts = w.mail().contacts();
  for (std::uint32_t i = 0; i < 2; ++i)
    REQUIRE(contacts.put(w.user(1), {.key = key_of(i)}, ignore));
  UserId first = user_id(key_of(0)), second = user_id(key_of(1));
  for (const char* good : {"a", "sixsix", "a-_.9Z", "Zoë"}) {
    CAPTURE(good);
    CHECK(contacts.rename(w.user(1), first, good, ignore));
    CHECK(contacts.by_alias(w.user(1), good)->key == key_of(0));
  }
  for (const char* bad : {"", "sevense", "@1", "a b", "a=b", "a,b", "a/b", "\xff", "a\n"}) {
    CAPTURE(bad);
    auto refused = contacts.rename(w.user(1), first, bad, ignore);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid);
  }
  CHECK(contacts.by_alias(w.user(1), "") == nullptr);
  auto taken = contacts.rename(w.user(1), second, "Zoë", ignore);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == ErrorCode::conflict);
  CHECK(contacts.rename(w.user(1), first, "Zoë", ignore));  // its own again
  auto nobody = contacts.rename(w.user(1), user_id(key_of(9)), "x", ignore);
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().code == ErrorCode::not_found);
}

TEST_CASE("a contact's name is kept up to 128 bytes, and never half a letter of it") {
  Limited w;
  Contacts& contacts = w.mail().contacts();
  auto kept = [&](const std::string& name) {
    REQUIRE(contacts.put(w.user(1), {.key = key_of(0), .name = name}, ignore));
    const std::string& found = contacts.find(w.user(1), user_id(key_of(0)))->name;
    CHECK(name.starts_with(found));
    return found.size();
  };
  std::string longest(128, 'n');
  CHECK(kept(longest) == 128);
  CHECK(kept(longest + "n") == 128);
  CHECK(kept(longest.substr(1) + "ë") == 0);
}

TEST_CASE("an inbox holds max_bytes of text and max_messages letters, and not one more of either") {
  Limited w([](auto& o) {
    o.inbox.max_messages = 4;
    o.inbox.max_bytes = 100;
  });
  CHECK_FALSE(w.add(Place::shown, 1, 60));
  CHECK(w.add(Place::shown, 1, 41) == ErrorCode::unavailable);
  CHECK_FALSE(w.add(Place::shown, 1, 40));
  CHECK(w.add(Place::shown, 1, 1) == ErrorCode::unavailable);
  for (int i = 0; i < 2; ++i) CHECK_FALSE(w.add(Place::shown, 1, 0));
  CHECK(w.add(Place::shown, 1, 0) == ErrorCode::unavailable);
  CHECK(w.texts(1, Place::shown).size() == 4);
}

TEST_CASE("requests are max_requests in all and max_per_stranger of one") {
  Limited w([](auto& o) {
    o.inbox.max_requests = 5;
    o.inbox.max_per_stranger = 2;
  });
  for (std::uint32_t sender : {1U, 2U}) {
    for (int i = 0; i < 2; ++i) CHECK_FALSE(w.add(Place::requests, sender, 1));
    CHECK(w.add(Place::requests, sender, 1) == ErrorCode::refused);
  }
  CHECK_FALSE(w.add(Place::requests, 3, 1));
  CHECK(w.add(Place::requests, 3, 1) == ErrorCode::refused);
  CHECK(w.add(Place::requests, 4, 1) == ErrorCode::refused);
  w.mail().inbox().accept(w.user(1), key_of(1), ignore);  // what is accepted counts no more
  CHECK_FALSE(w.add(Place::requests, 4, 1));
  w.mail().inbox().erase_requests(w.user(1), key_of(2), ignore);
  CHECK_FALSE(w.add(Place::requests, 2, 1));
  CHECK(w.mail().inbox().counts(w.user(1)).requests == 3);
}

TEST_CASE("of letters that are hidden max_hidden are remembered, the newest ones") {
  Limited w([](auto& o) { o.inbox.max_hidden = 3; });
  for (std::uint32_t sender = 1; sender <= 5; ++sender)
    CHECK_FALSE(w.add(Place::hidden, sender, 1));
  auto hidden = w.mail().inbox().list(w.user(1), Place::hidden, 0, nullptr, 10);
  REQUIRE(hidden);
  REQUIRE(hidden->size() == 3);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK((*hidden)[i].letter.from == key_of(3 + i));
  CHECK(w.net.node(w.places[1]).disk().snapshot()[Table::inbox].size() == 3);
}

TEST_CASE("a list of messages holds the newest, in order, of one sender if asked") {
  Limited w;
  for (std::uint32_t i = 0; i < 6; ++i) CHECK_FALSE(w.add(Place::shown, i % 2, i));
  auto sizes = [&](std::uint64_t since, const PublicKey* from, std::size_t limit) {
    auto list = w.mail().inbox().list(w.user(1), Place::shown, since, from, limit);
    REQUIRE(list);
    std::vector<std::size_t> out;
    for (const Message& message : *list) out.push_back(message.letter.body.size());
    return out;
  };
  using Sizes = std::vector<std::size_t>;
  PublicKey even = key_of(0);
  CHECK(sizes(0, nullptr, 6) == Sizes{0, 1, 2, 3, 4, 5});
  CHECK(sizes(0, nullptr, 2) == Sizes{4, 5});
  CHECK(sizes(4, nullptr, 6) == Sizes{4, 5});  // after number 4, which is the letter of size 3
  CHECK(sizes(6, nullptr, 6).empty());
  CHECK(sizes(0, &even, 2) == Sizes{2, 4});
  CHECK(sizes(0, nullptr, 0).empty());
}

TEST_CASE("marking as read takes both ends of a range and nothing beside it") {
  Limited w;
  for (int i = 0; i < 5; ++i) CHECK_FALSE(w.add(Place::shown, 1, 1));
  w.mail().inbox().mark_read(w.user(1), {.first = 2, .last = 4}, ignore);
  w.net.run_for(1s);
  auto list = w.mail().inbox().list(w.user(1), Place::shown, 0, nullptr, 10);
  REQUIRE(list);
  for (const Message& message : *list)
    CHECK(message.unread == (message.number < 2 || message.number > 4));
}

TEST_CASE("a letter goes to max_recipients, and holds max_body bytes under a name of max_name") {
  Limited w([](auto& o) { o.outbox.max_recipients = 6; });
  auto send = [&](std::uint32_t count, std::string text, std::string name = {}) {
    return w.mail(0).messenger().send(
        {.from = w.user(0), .name = std::move(name), .to = people(count), .text = std::move(text)},
        ignore);
  };
  CHECK(send(6, "x"));
  auto many = send(7, "x");
  REQUIRE_FALSE(many);
  CHECK(many.error().code == ErrorCode::refused);
  CHECK_FALSE(send(0, "x"));
  CHECK_FALSE(send(1, std::string(Letter::max_body + 1, 'x')));
  std::string longest(Letter::max_body, 'x');
  CHECK(w.reaches(0, w.send(0, {w.callee(1)}, longest), 1, SendState::delivered));
  CHECK(w.texts(1, Place::requests) == std::vector{longest});
}

TEST_CASE("of letters to more than group_size people a burst goes out, of others all") {
  Limited w([](auto& o) { o.messenger.groups = {.per_second = 1.0 / 60, .burst = 3, .peers = 8}; });
  auto send = [&](std::uint32_t count) {
    auto sent = w.mail(0).messenger().send(
        {.from = w.user(0), .to = people(count), .text = "hello"}, ignore);
    if (!sent) CHECK(sent.error().code == ErrorCode::refused);
    return sent.has_value();
  };
  std::uint32_t size = static_cast<std::uint32_t>(w.options.messenger.group_size);
  for (int i = 0; i < 20; ++i) CHECK(send(size));
  for (int i = 0; i < 3; ++i) CHECK(send(size + 1));
  CHECK_FALSE(send(size + 1));
  CHECK(send(size));
  w.net.run_for(60s);
  CHECK(send(size + 1));
  CHECK_FALSE(send(size + 1));
}

TEST_CASE("no more trips than the window are under way at once, and as many as it allows") {
  Limited w([](auto& o) { o.messenger.window = 3; });
  std::vector<PersonRef> group;
  for (int i = 0; i < 20; ++i) REQUIRE(w.at(1).users.create(empty_profile(), ignore));
  w.net.run_for(1s);
  for (const auto& [id, user] : w.at(1).users.all()) {
    group.push_back({.key = user.key,
                     .message_key = hpke::public_key(user.message_keys.front().secret),
                     .host = w.net.node(w.places[1]).self()});
  }
  w.net.run_for(1min);  // until no locator is on its way
  Open open(w, 0, FrameType::deliver_req);
  auto name = w.send(0, group, "to all of you");
  w.net.run_for(10s);
  const SentLetter& sent = *w.mail(0).outbox().find(name);
  CHECK(std::ranges::all_of(
      sent.to, [](const auto& entry) { return entry.second.state == SendState::delivered; }));
  CHECK(open.most == 3);
}

TEST_CASE("tries of a letter come after pauses that double up to the longest") {
  struct Case {
    bool slower;
    std::vector<Duration> pauses;
  };
  for (const Case& c : {Case{false, {10s, 20s, 40s, 50s, 50s}}, Case{true, {2s, 4s, 8s, 9s, 9s}}}) {
    CAPTURE(c.slower);
    Limited w([](auto& o) {
      o.messenger.first_retry = 10s;
      o.messenger.last_retry = 50s;
      o.messenger.first_wait = 2s;
      o.messenger.last_wait = 9s;
      o.reception.rate = {.per_second = 1e-6, .burst = 1, .peers = 8};
    });
    if (c.slower) w.send(0, {w.callee(1)}, "the only one that is taken");
    Outbox::Name name = w.send(0, {c.slower ? w.callee(1) : PersonRef{.key = key_of(1)}}, "again");
    UserId to = c.slower ? w.user(1) : user_id(key_of(1));
    std::optional<Time> last;
    for (std::size_t i = 0; i <= c.pauses.size(); ++i) {
      REQUIRE(w.net.run_until(
          [&] { return w.mail(0).outbox().find(name)->to.at(to).attempts == i + 1; }, 2min));
      Time now = w.net.time();
      if (last) {
        CAPTURE(i);
        Duration pause = c.pauses[i - 1];
        CHECK(now - *last >= pause);
        CHECK(now - *last <= pause * 5 / 4 + 4s);  // and the trip itself
      }
      last = now;
    }
    CHECK(w.mail(0).outbox().find(name)->to.at(to).state ==
          (c.slower ? SendState::waiting : SendState::unreachable));
  }
}

TEST_CASE("a letter is tried until its life is over and not after that") {
  Limited w([](auto& o) {
    o.messenger.life = 60s;
    o.messenger.first_retry = o.messenger.last_retry = 10s;
  });
  auto name = w.send(0, {PersonRef{.key = key_of(1)}}, "is anybody there?");
  const SentLetter* sent = w.mail(0).outbox().find(name);
  CHECK(sent->expiry == sent->letter.time + 60s);
  auto attempts = [&] { return w.mail(0).outbox().find(name)->to.begin()->second.attempts; };
  w.net.run_for(65s);
  auto tried = attempts();
  CHECK(tried >= 4);
  w.net.run_for(10min);
  CHECK(attempts() == tried);
  w.net.run_for(50min);  // looked at every hour
  CHECK(w.mail(0).outbox().find(name) == nullptr);
}

TEST_CASE("a letter is taken while it has a life, of two weeks and the skew of clocks at most") {
  Limited w;
  WallTime sent = w.now();
  CHECK(w.deliver(sent + max_letter_life + 5min) == Delivery::delivered);
  CHECK(w.deliver(w.now() + max_letter_life + 5min + 1s) == Delivery::refused);
  CHECK(w.deliver(w.now() + 1s) == Delivery::delivered);
  CHECK(w.deliver(w.now()) == Delivery::refused);
}

TEST_CASE("what cannot be opened uses up a peer's share as so many letters") {
  Limited w([](auto& o) {
    o.reception.peer_rate = {.per_second = 1e-6, .burst = 10, .peers = 8};
    o.reception.rubbish_cost = 4;
  });
  hpke::PublicKey nobodys = hpke::public_key({9});
  auto rubbish = [&] {
    return w.ask(FrameType::deliver_req, w.sealed(w.now() + 1h, nobodys)).has_value();
  };
  // Each costs one to ask and four more: the third goes into debt, and nothing is left.
  CHECK(rubbish());
  CHECK(rubbish());
  CHECK_FALSE(rubbish());
  CHECK_FALSE(w.ask(FrameType::deliver_req, w.sealed(w.now() + 1h, w.callee(1).message_key)));
}

TEST_CASE("a mailbox opens for requests whose time is within the skew of clocks") {
  Limited w;
  auto fetch = [&](std::chrono::milliseconds off) {
    FetchRequest request{.user = w.keys[0], .time = w.now() + off};
    request.signature = w.signer.sign(w.at(0).users.me()->seed,
                                      fetch_signed_bytes(request, test::test_overlay, w.places[1]));
    return w.ask(FrameType::mailbox_req, encode(request)).has_value();
  };
  CHECK(fetch(0ms));
  CHECK(fetch(5min));
  CHECK(fetch(-5min + 100ms));  // it takes a moment to arrive
  CHECK_FALSE(fetch(5min + 100ms));
  CHECK_FALSE(fetch(-5min));
}

TEST_CASE("one visit takes max_letters, and the next visits take the rest") {
  Limited w(
      [](auto& o) {
        o.mailbox.max_letters = 3;
        o.messenger.first_retry = o.messenger.last_retry = 1h;  // each letter is kept once
      },
      6);
  PersonRef away = w.goes_away(1, 0);
  for (int i = 0; i < 7; ++i)
    REQUIRE(w.reaches(0, w.send(0, {away}, std::to_string(i)), 1, SendState::kept));
  w.net.crash(w.places[0]);  // so that nothing comes but from the mailbox
  w.net.start(w.places[1]);
  w.net.run_for(10s);
  CHECK(w.texts(1, Place::shown).size() == 3);
  w.net.run_for(30s);
  CHECK(w.texts(1, Place::shown).size() == 6);
  w.net.run_for(30s);
  CHECK(w.texts(1, Place::shown).size() == 7);
}

TEST_CASE("receipts and acknowledgements go out as many at once as they may") {
  Limited w(
      [](auto& o) {
        o.mailbox.receipts_at_once = 2;
        o.mailbox.acks_at_once = 3;
      },
      6);
  PersonRef away = w.goes_away(1, 0);
  std::vector<Outbox::Name> names;
  for (int i = 0; i < 12; ++i) names.push_back(w.send(0, {away}, std::to_string(i)));
  for (const auto& name : names) REQUIRE(w.reaches(0, name, 1, SendState::kept));
  Id place = mailbox_key(test::test_overlay, w.user(1));
  std::size_t most_acks = 0, acks = 0;
  Open receipts(w, 1, FrameType::deliver_req);
  auto count = w.net.tap;
  w.net.tap = [&](const Id& from, const Id& to, std::uint8_t type, const Bytes& body) {
    count(from, to, type, body);
    if (from != w.places[1] || type != raw(FrameType::put_req)) return;
    auto put = decode<PutRequest>(body);
    REQUIRE(put);
    auto here = static_cast<std::size_t>(std::ranges::count_if(
        put->entries, [&](const auto& entry) { return entry.raw_item.ring == place; }));
    most_acks = std::max(most_acks, here);
    acks += here;
  };
  w.net.start(w.places[1]);
  for (const auto& name : names) CHECK(w.reaches(0, name, 1, SendState::delivered));
  CHECK(receipts.most == 2);
  CHECK(most_acks <= 3);
  CHECK((acks == 0 || most_acks == 3));  // none if node 1 keeps that mailbox itself
}

TEST_CASE("while senders do not answer receipts_at_once receipts are under way and no more") {
  Limited w([](auto& o) { o.mailbox.receipts_at_once = 2; }, 6);
  PersonRef away = w.goes_away(1, 0);
  for (int i = 0; i < 6; ++i)
    REQUIRE(w.reaches(0, w.send(0, {away}, std::to_string(i)), 1, SendState::kept));
  w.net.node(w.places[0]).on(raw(FrameType::deliver_req), [](const Request&) {});
  Open receipts(w, 1, FrameType::deliver_req);
  w.net.start(w.places[1]);
  w.net.run_for(2s);
  CHECK(w.texts(1, Place::shown).size() == 6);
  CHECK(receipts.now == 2);
  w.net.run_for(30s);
  CHECK(receipts.most > 2);  // silence ends a try, and the next ones go out
}

TEST_CASE("receipts and acknowledgements beyond those that may wait are left to the next try") {
  Limited w(
      [](auto& o) {
        o.mailbox.receipts_at_once = 1;
        o.mailbox.max_receipts = 2;
        o.mailbox.acks_at_once = 1;
        o.mailbox.max_acks = 2;
        o.messenger.first_retry = o.messenger.last_retry = 10min;
        o.mailbox.period = 1min;
      },
      6);
  PersonRef away = w.goes_away(1, 0);
  std::vector<Outbox::Name> names;
  for (int i = 0; i < 8; ++i) names.push_back(w.send(0, {away}, std::to_string(i)));
  for (const auto& name : names) REQUIRE(w.reaches(0, name, 1, SendState::kept));
  auto told = [&] {
    return std::ranges::count_if(
        names, [&](const auto& name) { return w.state(0, name, 1) == SendState::delivered; });
  };
  w.net.start(w.places[1]);
  w.net.run_for(20s);
  CHECK(w.texts(1, Place::shown).size() == 8);
  CHECK(told() >= 3);  // one under way and two waiting
  CHECK(told() < 8);
  w.net.run_for(15min);
  CHECK(told() == 8);
  CHECK(w.texts(1, Place::shown).size() == 8);
}

TEST_CASE("a user has max_calls open, max_of_strangers of strangers, max_per_caller of one") {
  Limited w([](auto& o) {
    o.calls.max_calls = 5;
    o.calls.max_of_strangers = 3;
    o.calls.max_per_caller = 2;
  });
  for (std::uint32_t contact : {10U, 11U, 12U})
    REQUIRE(w.mail().contacts().put(w.user(1), {.key = key_of(contact)}, ignore));
  CHECK(w.hear(1, 1, Op::invite) == Delivery::delivered);
  CHECK(w.hear(1, 2, Op::invite) == Delivery::delivered);
  CHECK(w.hear(1, 3, Op::invite) == Delivery::refused);
  CHECK(w.hear(2, 1, Op::invite) == Delivery::delivered);
  CHECK(w.hear(3, 1, Op::invite) == Delivery::refused);
  CHECK(w.hear(10, 1, Op::invite) == Delivery::delivered);
  CHECK(w.hear(10, 2, Op::invite) == Delivery::delivered);
  CHECK(w.hear(11, 1, Op::invite) == Delivery::refused);
  CHECK(w.calls_in(State::ringing) == 5);
  CHECK(w.hear(1, 1, Op::hangup) == Delivery::delivered);
  CHECK(w.hear(11, 1, Op::invite) == Delivery::delivered);
  CHECK(w.hear(12, 1, Op::invite) == Delivery::refused);
}

TEST_CASE("of calls that ended max_ended are remembered, the newest ones") {
  Limited w([](auto& o) { o.calls.max_ended = 3; });
  for (std::uint8_t call = 1; call <= 6; ++call) {
    CHECK(w.hear(1, call, Op::invite) == Delivery::delivered);
    CHECK(w.hear(1, call, Op::hangup) == Delivery::delivered);
    w.net.run_for(1s);
    CHECK(w.calls_in(State::ended) == std::min<std::size_t>(call, 3));
  }
  for (std::uint8_t call = 1; call <= 6; ++call) {
    Letter::Number id{call, 1};
    CHECK((w.mail().calls().find({w.user(1), id}) != nullptr) == (call > 3));
  }
}

TEST_CASE("a call's message counts while it is fresh, and so many of a caller in a burst") {
  for (auto [age, outcome] : {std::pair<Duration, Delivery>{5min, Delivery::delivered},
                              {5min + 1ms, Delivery::refused},
                              {-5min, Delivery::delivered},
                              {-5min - 1ms, Delivery::refused}}) {
    CAPTURE(age.count());
    Limited w;
    CHECK(w.hear(1, 1, Op::invite, age) == outcome);
  }
  Limited w([](auto& o) { o.calls.rate = {.per_second = 1, .burst = 3, .peers = 8}; });
  CHECK(w.hear(1, 1, Op::invite) == Delivery::delivered);
  for (int i = 0; i < 2; ++i) CHECK(w.hear(1, 1, Op::alive) == Delivery::delivered);
  CHECK(w.hear(1, 1, Op::alive) == Delivery::refused);
  CHECK(w.hear(2, 1, Op::invite) == Delivery::delivered);  // another caller's share
  w.net.run_for(1s);
  CHECK(w.hear(1, 1, Op::alive) == Delivery::delivered);
}

TEST_CASE("calls ring, stay silent and are remembered for exactly as long as they may") {
  auto look = [](Duration passed, auto prepare) {
    Limited w([](auto& o) {
      o.calls.alive_every = 1s;
      o.calls.ring_for = 20s;
      o.calls.dropped_after = 30s;
      o.calls.forget_after = 40s;
    });
    // Who calls takes whatever is brought to its node, and says nothing any more.
    w.net.node(w.places[0]).on(raw(FrameType::deliver_req), [&](const Request& request) {
      w.net.node(w.places[0])
          .reply(request, raw(FrameType::deliver_rep), encode(DeliverReply{Delivery::delivered}));
    });
    Letter letter{.from = w.keys[0], .to = w.user(1), .kind = Letter::Kind::call};
    letter.thread = {1, 1};
    letter.time = w.now();
    letter.body = encode(CallMessage{.op = Op::invite, .count = 1, .members = {w.callee(0)}});
    CHECK(w.mail().calls().take(*w.at(1).users.me(), letter) == Delivery::delivered);
    Calls::Key key{w.user(1), letter.thread};
    prepare(w, key);
    w.net.run_for(passed);
    const Call* call = w.mail().calls().find(key);
    return call == nullptr ? std::string("forgotten") : to_text(call->state) + (" " + call->why);
  };
  auto rings = [](Limited&, const Calls::Key&) {};
  CHECK(look(20s - 1ms, rings) == "ringing ");
  CHECK(look(20s + 1ms, rings) == "ended no answer");
  auto talks = [](Limited& w, const Calls::Key& key) { CHECK(w.mail().calls().accept(key, "me")); };
  CHECK(look(30s - 1ms, talks) == "active ");
  CHECK(look(30s + 1ms, talks) == "ended dropped");
  auto ends = [](Limited& w, const Calls::Key& key) { CHECK(w.mail().calls().decline(key)); };
  CHECK(look(40s - 1ms, ends) == "ended declined");
  CHECK(look(40s + 1ms, ends) == "forgotten");
}

TEST_CASE("a caller waits for an answer for exactly as long as it rings") {
  Limited w([](auto& o) {
    o.calls.alive_every = 1s;
    o.calls.ring_for = 20s;
  });
  w.net.node(w.places[1]).on(raw(FrameType::deliver_req), [&](const Request& request) {
    w.net.node(w.places[1])
        .reply(request, raw(FrameType::deliver_rep), encode(DeliverReply{Delivery::delivered}));
  });
  auto id = w.mail(0).calls().invite({.from = w.user(0), .to = {w.callee(1)}});
  REQUIRE(id);
  const Call* call = w.mail(0).calls().find({w.user(0), *id});
  w.net.run_for(20s - 1ms);
  CHECK(call->state == State::inviting);
  w.net.run_for(2ms);
  CHECK(call->state == State::ended);
  CHECK(call->why == "no answer");
}

TEST_CASE("calls of somebody blocked count for as long as they would ring and not longer") {
  Limited w([](auto& o) {
    o.calls.alive_every = 1s;
    o.calls.ring_for = 20s;
  });
  Contact blocked{.key = key_of(1), .standing = Contact::Standing::blocked};
  REQUIRE(w.mail().contacts().put(w.user(1), blocked, ignore));
  for (std::uint8_t call = 1; call <= 2; ++call)
    CHECK(w.hear(1, call, Op::invite) == Delivery::delivered);
  CHECK(w.hear(1, 3, Op::invite) == Delivery::refused);
  w.net.run_for(20s - 1ms);
  CHECK(w.hear(1, 3, Op::invite) == Delivery::refused);
  w.net.run_for(2ms);
  CHECK(w.hear(1, 3, Op::invite) == Delivery::delivered);
}

TEST_CASE("however long a locator cannot be placed, it waits once") {
  Limited w([](auto& o) {
    o.locators.period = 2min;
    o.locators.retry = 5min;
  });
  w.befriend(0, 1);  // so that somebody may look for it
  std::size_t requests = 0, most = 0;
  for (const Id& place : w.places) {
    w.net.node(place).on(raw(FrameType::put_req), [&](const Request& request) {
      auto put = decode<PutRequest>(request.body);
      REQUIRE(put);
      if (request.from.id != w.places[0]) return;
      ++requests;
      most = std::max(most, put->entries.size());
    });
  }
  w.net.run_for(2h);
  CHECK(requests > 10);
  CHECK(most == 1);
}

TEST_CASE("max_queue lines wait for one member, and with one more it is dropped") {
  for (std::size_t lines : {5U, 6U}) {
    CAPTURE(lines);
    Limited w([](auto& o) { o.calls.max_queue = 4; });
    auto id = w.mail(0).calls().invite({.from = w.user(0), .to = {w.callee(1)}});
    REQUIRE(id);
    Calls::Key there{w.user(1), *id}, here{w.user(0), *id};
    REQUIRE(w.net.run_until([&] { return w.mail().calls().find(there) != nullptr; }, 5s));
    REQUIRE(w.mail().calls().accept(there, "me"));
    auto active = [&] { return w.mail(0).calls().find(here)->state == State::active; };
    REQUIRE(w.net.run_until(active, 5s));
    w.net.run_for(1s);
    for (std::size_t i = 0; i < lines; ++i)  // the first is under way at once
      REQUIRE(w.mail(0).calls().say(here, "line " + std::to_string(i)));
    CHECK(active() == (lines == 5));
    w.net.run_for(2s);
    CHECK(active() == (lines == 5));
  }
}

TEST_SUITE_END();
