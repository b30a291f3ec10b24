// SPDX-License-Identifier: MIT
#include "node/service/ring/membership.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/world/memory_store.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using State = Membership::State;

namespace {

PeerRef peer(std::uint8_t n) {
  PeerRef out{.address = "10.0.0." + std::to_string(n) + ":1"};
  out.id.bytes[0] = n;
  return out;
}

/// A membership over a kernel that reaches nobody, with clock and disk in hand.
struct Bench {
  explicit Bench(const Membership::Options& options = {})
      : kernel({}, peer(1), 1, disk, Seeds{}), membership(kernel, options) {
    step();
  }
  void step() {
    kernel.begin({Time(1s) + time, {}});
    kernel.tick();
    for (bool more = true; more;) {
      kernel.settle();
      auto sent = kernel.take();
      for (const Write& write : sent.writes) {
        ++writes;
        kernel.written(write.token, disk.commit(write.mutations));
      }
      for (const LogLine& line : sent.log) log.push_back(to_text(line));
      auto events = kernel.take_ring_events();
      for (const chord::Event& event : events) membership.on_ring(event);
      more = !sent.writes.empty() || !events.empty();
    }
  }
  void run(Duration passed) {  // in steps of 10 ms, as a driver that is woken would
    for (Duration end = time + passed; time < end;) {
      time += std::min<Duration>(10ms, end - time);
      step();
    }
  }
  void tell(const chord::Event& event) {
    membership.on_ring(event);
    step();
  }
  bool logged(std::string_view part) const {
    return std::ranges::any_of(
        log, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  MemoryStore disk{};
  Duration time{};
  std::size_t writes = 0;
  std::vector<std::string> log{};
  Kernel kernel;
  Membership membership;
};

}  // namespace

TEST_SUITE("service/membership") {
  TEST_CASE("so many wait for the end of joining and of leaving, and one more is told so") {
    Bench bench({.waiters = 2});
    Membership& m = bench.membership;
    m.enter({.join = {"10.0.0.9:1"}}, {});
    std::vector<State> settled;
    auto note = [&](State state) { settled.push_back(state); };
    auto first = m.when_settled(1h, note);
    REQUIRE(first);
    CHECK(m.when_settled(1h, note));
    auto third = m.when_settled(1h, note);
    REQUIRE_FALSE(third);
    CHECK(third.error().code == ErrorCode::unavailable);
    m.stop_waiting(*first);
    CHECK(m.when_settled(1h, note));
    std::size_t left = 0;
    for (int i = 0; i < 2; ++i) CHECK(m.when_left([&] { ++left; }));
    CHECK_FALSE(m.when_left([&] { ++left; }));
    CHECK(settled.empty());
    m.leave();
    bench.step();
    CHECK(settled == std::vector{State::leaving, State::leaving});
    CHECK(left == 2);
    CHECK(m.when_left([&] { ++left; }));  // at once
    CHECK(left == 3);
  }

  TEST_CASE("a wait ends when its time is over, or the longest that may be") {
    for (auto [asked, waits] : {std::pair<Duration, Duration>{3s, 3s}, {1h, 10min}}) {
      CAPTURE(asked.count());
      Bench bench;
      bench.membership.enter({}, {{peer(2)}, {}});  // it had peers: it goes on trying
      std::optional<State> settled;
      REQUIRE(bench.membership.when_settled(asked, [&](State s) { settled = s; }));
      bench.run(waits - 10ms);
      CHECK_FALSE(settled);
      bench.run(20ms);
      CHECK(settled == State::joining);
    }
  }

  TEST_CASE("a wait ends soon after all addresses given have failed for a while") {
    Bench bench;
    bench.membership.enter({.join = {"a:1", "b:1"}}, {});
    std::optional<State> settled;
    REQUIRE(bench.membership.when_settled(1h, [&](State s) { settled = s; }));
    bench.membership.on_trouble("a:1", {ErrorCode::unavailable, "refused"});
    bench.run(10s);
    CHECK_FALSE(settled);  // the other may still answer
    bench.membership.on_trouble("b:1", {ErrorCode::unavailable, "refused"});
    bench.run(300ms);
    CHECK(settled == State::joining);
  }

  TEST_CASE("a node that has run for long is as patient with the addresses given as a new one") {
    for (Duration before : {0s, 60s}) {
      CAPTURE(before.count());
      Bench bench;
      bench.run(before);
      bench.membership.enter({.join = {"a:1"}}, {});
      std::optional<State> settled;
      REQUIRE(bench.membership.when_settled(1h, [&](State s) { settled = s; }));
      bench.membership.on_trouble("a:1", {ErrorCode::unavailable, "refused"});
      bench.run(4s - 10ms);
      CHECK_FALSE(settled);
      bench.run(300ms);
      CHECK(settled == State::joining);
    }
  }

  TEST_CASE("troubles of so many addresses are kept, the newest of each, while joining") {
    Bench bench({.troubles = 2});
    Membership& m = bench.membership;
    m.on_trouble("x:1", {ErrorCode::unavailable, "before"});
    CHECK(m.troubles().empty());
    m.enter({.join = {"a:1"}}, {});
    for (const char* address : {"a:1", "b:1", "c:1"})
      m.on_trouble(address, {ErrorCode::unavailable, "refused"});
    CHECK(m.troubles().size() == 2);
    CHECK_FALSE(m.troubles().contains("c:1"));
    m.on_trouble("a:1", {ErrorCode::unavailable, "newer"});
    CHECK(m.troubles().at("a:1").text == "newer");
    m.on_link("b:1");
    m.on_trouble("c:1", {ErrorCode::unavailable, "refused"});
    CHECK(m.troubles().contains("c:1"));
  }

  TEST_CASE("peers to remember are on the disk for the next start, and none never replace some") {
    Bench bench;
    bench.membership.enter({.create = true}, {});
    bench.run(1s);
    REQUIRE(bench.membership.state() == State::joined);
    CHECK(bench.membership.founded());
    RememberedPeers peers{{peer(2), peer(3)}, {peer(4)}};
    bench.tell(chord::PeersToRemember{.known = peers.known, .passive = peers.passive});
    CHECK(*recall_peers(bench.disk) == peers);
    CHECK(bench.membership.remembered() == 3);
    CHECK(bench.membership.had_peers());
    bench.tell(chord::PeersToRemember{});
    CHECK(*recall_peers(bench.disk) == peers);
    CHECK(bench.membership.remembered() == 3);
    bench.disk.fail_commit(1);
    bench.tell(chord::PeersToRemember{.known = {peer(5)}});
    CHECK(*recall_peers(bench.disk) == peers);
    CHECK(bench.membership.remembered() == 3);
    CHECK(bench.logged("cannot remember peers"));
  }

  TEST_CASE("who remembers peers founds no ring, who has none or is told to does") {
    struct Case {
      bool create, had, given, founds;
    };
    for (auto [create, had, given, founds] : {Case{false, false, false, true},
                                              {true, true, false, true},
                                              {true, false, true, true},
                                              {false, true, false, false},
                                              {false, false, true, false}}) {
      CAPTURE(create);
      CAPTURE(had);
      CAPTURE(given);
      for (bool passive : {false, true}) {
        Bench bench;
        RememberedPeers peers;
        if (had) (passive ? peers.passive : peers.known) = {peer(2)};
        Membership::Up up{.create = create};
        if (given) up.join = {"10.0.0.9:1"};
        bench.membership.enter(up, peers);
        bench.run(30s);
        CHECK(bench.membership.founded() == founds);
        CHECK(bench.membership.had_peers() == had);
        CHECK(bench.membership.remembered() == (had ? 1 : 0));
        CHECK((bench.membership.state() == State::joined) == founds);
      }
    }
  }

  TEST_CASE("without readable peers there is a way in only if one is given") {
    MemoryStore good, bad;
    REQUIRE(good.commit(to_mutations({{peer(1)}, {}})));
    REQUIRE(bad.commit({{Table::peers, {'k', 'n', 'o', 'w', 'n'}, Bytes{0xff}}}));
    CHECK(Membership::check_way_in(good, {}));
    CHECK(Membership::check_way_in(bad, {.join = {"a:1"}}));
    CHECK(Membership::check_way_in(bad, {.create = true}));
    auto none = Membership::check_way_in(bad, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().text.find("beckon up --join") != std::string::npos);
  }

  TEST_CASE("a part that never finishes handing over delays leaving by hand_over and no more") {
    for (bool finishes : {true, false}) {
      CAPTURE(finishes);
      Bench bench;
      bench.membership.enter({.create = true}, {});
      bench.run(1s);
      bench.membership.before_leave([&](const std::function<void(bool)>& done) {
        if (finishes) done(true);
      });
      bench.membership.leave();
      bench.run(9990ms);
      CHECK((bench.membership.state() == State::left) == finishes);
      bench.run(100ms);
      CHECK(bench.membership.state() == State::left);
      CHECK_FALSE(bench.membership.handed_over());  // alone: there is nobody to take it
      CHECK(bench.logged("took too long") != finishes);
    }
  }
}
