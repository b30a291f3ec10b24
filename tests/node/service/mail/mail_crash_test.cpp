// SPDX-License-Identifier: MIT
// One letter, and a node that dies at a given step of its way: every step, for every part.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;

namespace {

enum class Part { sender, recipient, keeper };  // keeper: the first node of the callee's mailbox
enum class Presence { there, away };            // away: comes back ten seconds after the sending

/// Person 0 writes to person 3. Steps are counted from the sending on; each is one event of the
/// world's queue: a frame that arrives, a write that is done, a timer.
class OneLetter {
 public:
  OneLetter(Presence callee, Part part) : part_(part), world_(6, 1) {
    world_.befriend(3, 0);
    PersonRef known = world_.callee(3);
    world_.net.run_for(1s);
    if (callee == Presence::away) world_.net.crash(world_.places[3]);
    begin_ = world_.net.time();
    auto name = world_.at(0).mail.messenger().send(
        {.from = world_.user(0), .name = "sender", .to = {known}, .text = text},
        [this](const Result<void>& r) { accepted_ = r.has_value(); });
    REQUIRE(name);
    name_ = *name;
  }

  /// Runs until the sender knows that it was delivered; the number of steps that took.
  std::size_t steps_to_the_end() {
    std::size_t steps = 0;
    run([&] { return ++steps, claimed(); });
    REQUIRE(claimed());
    return steps;
  }

  void with_a_crash_at(std::size_t step) {
    std::size_t steps = 0;
    run([&] { return ++steps >= step; });
    Id victim = part_ == Part::sender      ? world_.places[0]
                : part_ == Part::recipient ? world_.places[3]
                                           : keeper();
    bool promised = accepted_;
    if (world_.net.node(victim).up()) world_.net.crash(victim);
    Time until = world_.net.time() + 4s;
    run([&] { return world_.net.time() >= until; });
    world_.net.run_for(until - world_.net.time());
    if (!world_.net.node(victim).up()) world_.net.start(victim);
    run([&] { return claimed() && up(3); });
    promised = promised || accepted_;
    if (!up(3)) world_.net.start(world_.places[3]);
    world_.net.run_for(2min);
    CHECK(copies() <= 1);
    if (!promised) return;  // its writer was told nothing, and may have to write again
    CHECK(copies() == 1);
    CHECK(claimed());
  }

 private:
  static constexpr const char* text = "only once";

  bool up(std::size_t i) { return world_.net.node(world_.places[i]).up(); }
  Id keeper() {
    for (const Id& id :
         world_.net.true_replicas(mailbox_key(test::test_overlay, world_.user(3)), 3)) {
      if (id != world_.places[0] && id != world_.places[3]) return id;
    }
    return world_.places[1];
  }

  /// Goes on step by step for a minute at most, with a look at disk and claim after each one.
  void run(const std::function<bool()>& enough) {
    world_.net.run_until(
        [&] {
          if (!up(3) && world_.net.time() >= begin_ + 10s) world_.net.start(world_.places[3]);
          std::size_t there = copies();
          if (there > 1 || (claimed() && there != 1)) FAIL_CHECK("shown twice, or claimed in vain");
          return enough();
        },
        1min);
  }

  bool claimed() {
    const SentLetter* sent = up(0) ? world_.at(0).mail.outbox().find(name_) : nullptr;
    return sent != nullptr && sent->to.at(world_.user(3)).state == SendState::delivered;
  }

  /// On the recipient's disk, whether or not its node is up.
  std::size_t copies() {
    std::size_t found = 0;
    auto& disk = world_.net.node(world_.places[3]).disk();
    REQUIRE(disk.scan(Table::inbox, {}, [&](ByteView, ByteView row) {
      found += as_text(row).ends_with(text) ? 1 : 0;
      return true;
    }));
    return found;
  }

  Part part_;
  MailWorld world_;
  Time begin_{};
  Outbox::Name name_{};
  bool accepted_ = false;
};

/// Every step with BECKON_SEEDS set; else every fourth, others for every part.
std::size_t stride() { return std::getenv("BECKON_SEEDS") != nullptr ? 1 : 4; }

}  // namespace

TEST_SUITE_BEGIN("service/mail at every step");

TEST_CASE("a crash of sender, recipient or keeper at any step loses and repeats nothing") {
  std::size_t runs = 0;
  for (Presence callee : {Presence::there, Presence::away}) {
    std::size_t steps = OneLetter(callee, Part::sender).steps_to_the_end();
    std::size_t first = 1;
    for (Part part : {Part::sender, Part::recipient, Part::keeper}) {
      for (std::size_t step = first; step <= steps; step += stride(), ++runs) {
        CAPTURE(callee);
        CAPTURE(part);
        CAPTURE(step);
        OneLetter(callee, part).with_a_crash_at(step);
      }
      ++first;
    }
  }
  MESSAGE("crashes tried: ", runs);
}

TEST_SUITE_END();
