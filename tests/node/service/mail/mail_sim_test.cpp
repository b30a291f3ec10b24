// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::FakeNet;
using test::MailWorld;

TEST_SUITE_BEGIN("service/mail under faults");

namespace {

/// Everybody writes to everybody while nodes crash and return, frames get lost, arrive twice and in
/// another order, and the ring is cut.
/// Sender, keeper and recipient die at any moment, since each event of the queue is such a moment.
class Chaos {
 public:
  explicit Chaos(std::uint64_t seed)
      : rng_(Rng(seed).split("chaos")), world_(people, seed, net_options(seed)) {
    for (std::size_t i = 0; i < people; ++i) {
      for (std::size_t j = 0; j < people; ++j) {
        if (i != j) world_.befriend(i, j);
      }
      last_known_.push_back(world_.callee(i));
    }
    world_.net.run_for(2s);
  }

  void run() {
    for (int step = 0; step < 120; ++step) {
      act();
      world_.net.run_for(Duration(rng_.between(1'000, 3'000'000)));
      check();
    }
    calm();
    check_complete();
  }

 private:
  static constexpr std::size_t people = 9;

  static FakeNet::Options net_options(std::uint64_t seed) {
    FakeNet::Options out;
    Rng rng = Rng(seed).split("net");
    out.loss = rng.chance(0.5) ? rng.real() * 0.25 : 0;
    out.twice = rng.chance(0.5) ? rng.real() * 0.25 : 0;
    out.detect = rng.chance(0.5) ? 2s : 0s;
    return out;
  }

  bool up(std::size_t i) { return world_.net.node(world_.places[i]).up(); }

  void act() {
    std::size_t i = rng_.below(people);
    switch (rng_.below(6)) {
      case 0:
        if (up(i) && world_.net.live().size() > people - 2) world_.net.crash(world_.places[i]);
        return;
      case 1:
      case 2:
        for (const Id& id : world_.places) {
          if (!world_.net.node(id).up() && rng_.chance(0.7)) world_.net.start(id);
        }
        return;
      case 3:
        rng_.chance(0.3)
            ? world_.net.partition({{world_.places[i], world_.places[(i + 1) % people]}})
            : world_.net.heal();
        return;
      default:
        write(i);
        return;
    }
  }

  void write(std::size_t from) {
    if (!up(from)) return;
    std::vector<PersonRef> to;
    for (std::size_t j = 0; j < people; ++j) {
      if (j != from && rng_.chance(0.4)) to.push_back(last_known_[j]);
    }
    if (to.empty()) return;
    std::string text = "letter " + std::to_string(letters_.size());
    auto accepted = std::make_shared<bool>(false);
    auto name = world_.at(from).mail.messenger().send(
        {.from = world_.user(from), .to = to, .text = text},
        [accepted](const Result<void>& r) { *accepted = r.has_value(); });
    REQUIRE(name);
    letters_.push_back({.from = from, .name = *name, .text = text, .to = to, .accepted = accepted});
  }

  std::size_t person(const UserId& id) const {
    for (std::size_t i = 0; i < people; ++i) {
      if (world_.user(i) == id) return i;
    }
    return people;
  }

  /// How often a letter is durable on its recipient's disk, whether or not that node is up.
  std::size_t copies(const std::string& text, std::size_t at) {
    std::size_t found = 0;
    auto scanned = world_.net.node(world_.places[at])
                       .disk()
                       .scan(Table::inbox, {}, [&](ByteView, ByteView row) {
                         found += as_text(row).ends_with(text) ? 1 : 0;
                         return true;
                       });
    REQUIRE(scanned);
    return found;
  }

  void check() {
    for (const Sent& sent : letters_) {
      const SentLetter* kept =
          up(sent.from) ? world_.at(sent.from).mail.outbox().find(sent.name) : nullptr;
      for (const PersonRef& callee : sent.to) {
        std::size_t to = person(callee.id());
        std::size_t there = copies(sent.text, to);
        CHECK_MESSAGE(there <= 1, sent.text);
        if (kept == nullptr) continue;
        bool claimed = kept->to.at(callee.id()).state == SendState::delivered;
        CHECK_MESSAGE((!claimed || there == 1), sent.text);
      }
    }
  }

  void calm() {
    world_.net.heal();
    world_.net.options().loss = 0;
    for (const Id& id : world_.places) {
      if (!world_.net.node(id).up()) world_.net.start(id);
    }
    world_.net.run_for(5min);
  }

  void check_complete() {
    for (const Sent& sent : letters_) {
      if (!*sent.accepted) continue;
      for (const PersonRef& callee : sent.to) {
        CHECK_MESSAGE(copies(sent.text, person(callee.id())) == 1, sent.text);
        auto state = world_.at(sent.from).mail.outbox().find(sent.name)->to.at(callee.id()).state;
        CHECK_MESSAGE(state == SendState::delivered, sent.text);
      }
    }
  }

  struct Sent {
    std::size_t from{};
    Outbox::Name name{};
    std::string text{};
    std::vector<PersonRef> to{};
    std::shared_ptr<bool> accepted{};  // shared with a continuation that may outlive a crash
  };

  Rng rng_;
  MailWorld world_;
  std::vector<PersonRef> last_known_{};
  std::vector<Sent> letters_{};
};

}  // namespace

TEST_CASE("every letter arrives exactly once, and no state ever claims too much") {
  const char* many = std::getenv("BECKON_SEEDS");
  std::uint64_t seeds = many != nullptr ? std::strtoull(many, nullptr, 10) : 30;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    Chaos(seed).run();
  }
}

TEST_SUITE_END();
