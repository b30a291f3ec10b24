// SPDX-License-Identifier: MIT
// What hostile people and nodes try against messages: refused, bounded, and nobody else notices.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;

namespace {

/// A MailWorld with one that does not keep to the rules: node 2.
struct Hostile : MailWorld {
  using MailWorld::MailWorld;

  Letter letter(std::size_t from, std::size_t to, std::uint32_t number, std::string text) {
    Letter out{.from = keys[from], .to = user(to), .time = now(), .body = std::move(text)};
    for (int i = 0; i < 4; ++i)
      out.id[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(number >> (8 * i));
    return out;
  }
  WallTime now() { return net.node(places[2]).now().wall; }

  /// Sealed by node 2's user, whoever the letter says it is from.
  Bytes sealed(const Letter& letter, std::size_t to, const Digest& overlay = test::test_overlay) {
    auto envelope = seal(letter, at(2).users.me()->seed, signer,
                         {.overlay = overlay,
                          .to_key = callee(to).message_key,
                          .expiry = now() + 24h,
                          .ephemeral = net.node(places[2]).secrets().next()});
    REQUIRE(envelope);
    return envelope->bytes;
  }
  void hand_over(std::size_t to, const Bytes& envelope) {
    net.inject(places[2], places[to], raw(FrameType::deliver_req), envelope);
  }
  std::size_t shown_to(std::size_t i) {
    return texts(i, Place::shown).size() + texts(i, Place::requests).size();
  }
  /// Of node 1, about what node 2 brought.
  std::size_t complaints() {
    const auto& logged = net.node(places[1]).logged;
    return static_cast<std::size_t>(std::count_if(logged.begin(), logged.end(), [](const auto& l) {
      return l.text.find(" brought ") != std::string::npos;
    }));
  }
  std::size_t log_lines() {
    std::size_t out = 0;
    for (const Id& id : places) {
      for (const LogLine& line : net.node(id).logged) out += line.level >= LogLevel::info;
    }
    return out;
  }
};

}  // namespace

TEST_SUITE_BEGIN("service/mail_attack");

TEST_CASE("a letter that names another sender is refused, and so is one of another overlay") {
  Hostile w(6);
  w.befriend(1, 0);
  w.befriend(1, 2);
  w.hand_over(1, w.sealed(w.letter(0, 1, 1, "I am your friend"), 1));
  w.hand_over(1, w.sealed(w.letter(2, 1, 2, "elsewhere"), 1, sha256(as_bytes("another overlay"))));
  Letter diverted = w.letter(2, 3, 3, "meant for somebody else");
  Bytes bytes = w.sealed(diverted, 1);
  w.hand_over(1, bytes);
  w.net.run_for(2s);
  CHECK(w.shown_to(1) == 0);
  CHECK(w.shown_to(3) == 0);
  CHECK(w.complaints() == 1);
  w.hand_over(1, w.sealed(w.letter(2, 1, 4, "honest"), 1));  // the same way is open to the honest
  w.net.run_for(2s);
  CHECK(w.texts(1, Place::shown) == Texts{"honest"});
}

TEST_CASE("a letter changed in any place is refused") {
  Hostile w(6);
  w.befriend(1, 2);
  Bytes good = w.sealed(w.letter(2, 1, 1, "as it was written"), 1);
  std::size_t tried = 0;
  for (std::size_t bit = 0; bit < good.size() * 8; bit += 5, ++tried) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    w.hand_over(1, bad);
  }
  for (std::size_t size = 0; size < good.size(); size += 7)
    w.hand_over(1, Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
  w.net.run_for(5s);
  CHECK(tried > 500);
  CHECK(w.shown_to(1) == 0);
  CHECK(w.complaints() == 1);
  w.hand_over(1, good);
  w.net.run_for(1s);
  CHECK(w.texts(1, Place::shown) == Texts{"as it was written"});
}

TEST_CASE("thousands of letters of one stranger leave three requests, and others are not slowed") {
  Hostile w(6);
  w.befriend(1, 0);
  w.net.run_for(1s);
  std::size_t before = w.log_lines();
  // A hundred thousand take half a minute of real sealing; a run with seeds does that, too.
  std::uint32_t letters = std::getenv("BECKON_SEEDS") != nullptr ? 100'000 : 2000;
  for (std::uint32_t i = 0; i < letters; ++i) {
    w.hand_over(1, w.sealed(w.letter(2, 1, i, "buy"), 1));
    if (i % 200 == 0) w.net.run_for(100ms);
  }
  auto name = w.send(0, {w.callee(1)}, "from a friend");
  CHECK(w.reaches(0, name, 1, SendState::delivered, 2s));
  CHECK(w.texts(1, Place::shown) == Texts{"from a friend"});
  CHECK(w.texts(1, Place::requests).size() == w.options.inbox.max_per_stranger);
  CHECK(w.complaints() == 1);
  CHECK(w.log_lines() - before <= 10);
}

TEST_CASE("a hundred thousand letters to somebody away stay within the quota of that mailbox") {
  Hostile w(8);
  w.befriend(1, 0);
  w.befriend(3, 0);
  w.net.run_for(1s);
  PersonRef victim = w.callee(1);
  PersonRef other = w.callee(3);
  Bytes letter = w.sealed(w.letter(2, 1, 1, "x"), 1);
  w.net.crash(w.places[1]);
  w.net.crash(w.places[3]);
  w.net.run_for(1s);
  Id place = mailbox_key(test::test_overlay, w.user(1));
  std::size_t before = w.log_lines();
  // Sealed, so nobody but the recipient can tell rubbish from letters.
  for (std::uint32_t batch = 0; batch < 1000; ++batch) {
    std::vector<ItemClient::PutEntry> puts;
    for (std::uint32_t i = 0; i < 100; ++i) {
      Bytes rubbish = letter;
      for (std::size_t at = 0; at < 4; ++at)
        rubbish[rubbish.size() - 1 - at] = static_cast<std::uint8_t>((batch * 100 + i) >> (8 * at));
      puts.push_back(
          {.raw_item = {
               .ring = place, .kind = ItemKind::mailbox_item, .bytes = std::move(rubbish)}});
    }
    w.at(2).replicas.put(std::move(puts), [](const std::vector<ItemClient::Stored>&) {});
    w.net.run_for(20ms);
  }
  w.net.run_for(30s);
  for (std::size_t i : {0, 2, 4, 5, 6, 7}) {
    CAPTURE(i);
    std::size_t kept = 0;
    std::size_t bytes = 0;
    w.at(i).replicas.table().each_at(place, ItemKind::mailbox_item, [&](const Item& item) {
      ++kept;
      bytes += item.bytes.size();
      return true;
    });
    CHECK(kept <= 1000);
    CHECK(bytes <= 16 * 1024 * 1024);
  }
  CHECK(w.log_lines() - before <= 50);
  // Another's mailbox has room, and the victim gets an honest letter when it is back.
  auto to_other = w.send(0, {other}, "for you");
  CHECK(w.reaches(0, to_other, 3, SendState::kept));
  auto to_victim = w.send(0, {victim}, "in spite of all");
  w.net.run_for(10s);
  w.net.start(w.places[1]);
  CHECK(w.reaches(0, to_victim, 1, SendState::delivered, 2min));
  CHECK(w.texts(1, Place::shown) == Texts{"in spite of all"});
}

TEST_SUITE_END();
