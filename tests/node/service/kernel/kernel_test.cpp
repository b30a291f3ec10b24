// SPDX-License-Identifier: MIT
#include "node/service/kernel/kernel.h"

#include <doctest/doctest.h>

#include "chord/wire.h"
#include "node/service/kernel/frames.h"
#include "tests/world/memory_store.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

namespace {

constexpr std::uint8_t question = 0x71;
constexpr std::uint8_t answer = 0x72;

PeerRef peer(std::uint8_t n) {
  PeerRef out{.address = "10.0.0." + std::to_string(n) + ":1"};
  out.id.bytes[0] = n;
  return out;
}

/// A kernel with a clock in hand.
struct Bench {
  explicit Bench(Kernel::Options options = {}) : kernel(options, peer(1), 1, disk, Seeds{}) {
    tick(0ms);
  }
  void tick(Duration passed) {
    time += passed;
    kernel.begin({Time(1s) + time, {}});
    kernel.tick();
    kernel.settle();
  }
  void receive(const Frame& frame) {
    kernel.receive(frame);
    kernel.settle();
  }
  MemoryStore disk{};
  Duration time{};
  Kernel kernel;
};

struct Outcome {
  int calls = 0;
  std::string text{};
  Context::ReplyDone done() {
    return [this](Result<Frame> reply) {
      ++calls;
      text = reply ? std::string(as_text(reply->body)) : reply.error().text;
    };
  }
};

Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace

TEST_SUITE("service/kernel") {
  TEST_CASE("a wall clock that is set is told, one that runs a little wrong is not") {
    MemoryStore disk;
    Kernel kernel({}, peer(1), 1, disk, Seeds{});
    auto lines_at = [&](Duration mono, std::chrono::milliseconds wall) {
      kernel.begin({Time(mono), WallTime(wall)});
      return kernel.take().log;
    };
    CHECK(lines_at(1s, 1000s).empty());
    CHECK(lines_at(61s, 1061s).empty());
    CHECK(lines_at(71s, 1069001ms).empty());
    auto ahead = lines_at(72s, 1072001ms);
    REQUIRE(ahead.size() == 1);
    CHECK(ahead[0].level == LogLevel::warning);
    CHECK(to_text(ahead[0]).find("by_seconds=+2.0") != std::string::npos);
    auto back = lines_at(73s, 1s);
    REQUIRE(back.size() == 1);
    CHECK(to_text(back[0]).find("by_seconds=-1072.0") != std::string::npos);
    CHECK(lines_at(74s, 2s).empty());
  }

  TEST_CASE("refusals, given and got, and writes that fail are told without the peer's words") {
    Bench bench;
    Outcome outcome;
    bench.kernel.take();
    bench.kernel.ask(peer(2), question, bytes("?"), 5s, outcome.done());
    std::uint64_t asked = bench.kernel.take().send.at(0).request;
    Bytes refusal = encode(ErrorBody{.status = Status::rate, .text = "secret words"});
    bench.receive({peer(2), raw(FrameType::error), asked, refusal});
    CHECK(outcome.text == "secret words");
    bench.receive({peer(3), question, 7, bytes("?")});  // nobody serves it
    std::string text;
    auto sent = bench.kernel.take();
    for (const LogLine& line : sent.log) text += to_text(line) + "\n";
    CHECK(text.find("a peer refused a request peer=02000000 status=") != std::string::npos);
    CHECK(text.find("refused a request of a peer peer=03000000 status=") != std::string::npos);
    CHECK(text.find("secret") == std::string::npos);

    bench.kernel.write({{Table::meta, bytes("k"), bytes("v")}}, [](const Result<void>&) {});
    auto write = bench.kernel.take().writes.at(0);
    bench.kernel.written(write.token, Error{ErrorCode::internal, "the disk is full"});
    sent = bench.kernel.take();
    REQUIRE(sent.log.size() == 1);
    CHECK(sent.log[0].level == LogLevel::error);
    CHECK(to_text(sent.log[0]).find("reason=\"the disk is full\"") != std::string::npos);
  }

  TEST_CASE("a reply reaches its continuation once, and a second one nobody") {
    Bench bench;
    Outcome outcome;
    bench.kernel.ask(peer(2), question, bytes("?"), 5s, outcome.done());
    auto sent = bench.kernel.take();
    REQUIRE(sent.send.size() == 1);
    Frame reply{peer(2), answer, sent.send[0].request, bytes("yes")};
    Frame forged = reply;
    forged.peer = peer(3);
    bench.receive(forged);
    CHECK(outcome.calls == 0);
    bench.receive(reply);
    bench.receive(reply);
    CHECK(outcome.calls == 1);
    CHECK(outcome.text == "yes");
    bench.tick(60s);
    CHECK(outcome.calls == 1);
  }

  TEST_CASE("silence, a broken link and a refused dial each end a request with an error") {
    Bench bench;
    Outcome silence, broken, refused;
    bench.kernel.ask(peer(2), question, {}, 5s, silence.done());
    bench.kernel.ask(peer(3), question, {}, 5s, broken.done());
    bench.kernel.ask(peer(4), question, {}, 5s, refused.done());
    bench.kernel.link_down(peer(3).id);
    bench.kernel.unreachable(peer(4));
    CHECK(broken.calls == 0);  // never from inside a call
    bench.tick(4s);
    CHECK(broken.calls == 1);
    CHECK(refused.calls == 1);
    CHECK(silence.calls == 0);
    bench.tick(1s);
    CHECK(silence.calls == 1);
    CHECK(silence.text == "no answer in time");
  }

  TEST_CASE("an error frame of the peer arrives as an Error") {
    Bench bench;
    Outcome outcome;
    bench.kernel.ask(peer(2), question, {}, 5s, outcome.done());
    auto number = bench.kernel.take().send[0].request;
    Bytes body = encode(ErrorBody{.status = Status::quota, .text = "full\x1b[2J"});
    bench.receive({peer(2), raw(FrameType::error), number, body});
    CHECK(outcome.text == "full\\x1b[2J");
  }

  TEST_CASE("asking oneself costs no network and answers when others have been asked") {
    Bench bench;
    bench.kernel.serve(question, [&](const Request& request) {
      bench.kernel.reply(request, answer, bytes("me"));
    });
    Outcome outcome;
    bench.kernel.ask(peer(1), question, {}, 5s, outcome.done());
    bench.kernel.settle();
    CHECK(outcome.calls == 0);
    CHECK(bench.kernel.wake_at() == bench.kernel.now().mono);
    CHECK(bench.kernel.take().send.empty());
    bench.tick(0s);
    CHECK(outcome.text == "me");
    CHECK(bench.kernel.take().send.empty());
  }

  TEST_CASE("a request nobody serves is refused, and a handler's answer goes out once") {
    Bench bench;
    std::vector<Request> kept;
    bench.kernel.serve(question, [&](const Request& request) { kept.push_back(request); });
    bench.receive({peer(2), 0x75, 1, {}});
    auto sent = bench.kernel.take();
    REQUIRE(sent.send.size() == 1);
    CHECK(decode<ErrorBody>(sent.send[0].body)->status == Status::unsupported);
    CHECK(bench.kernel.counters().unknown == 1);
    bench.receive({peer(2), 0x75, 0, {}});  // one way: nobody waits for an answer
    CHECK(bench.kernel.take().send.empty());
    CHECK(bench.kernel.counters().unknown == 2);
    bench.receive({peer(2), question, 2, {}});
    bench.receive({peer(2), question, 2, {}});
    REQUIRE(kept.size() == 1);
    bench.kernel.reply(kept[0], answer, {});
    bench.kernel.refuse(kept[0], {ErrorCode::refused, "no"});
    CHECK(bench.kernel.take().send.size() == 1);
  }

  TEST_CASE("a peer that asks ten thousand times a second is served at its rate, others at once") {
    Bench bench;
    std::map<std::uint8_t, int> served;
    bench.kernel.serve(question, [&](const Request& request) {
      ++served[request.from.id.bytes[0]];
      bench.kernel.reply(request, answer, {});
    });
    std::uint64_t number = 0;
    constexpr int seconds = 5;
    for (int ms = 0; ms < 1000 * seconds; ++ms) {
      bench.tick(1ms);
      for (int i = 0; i < 10; ++i) {
        bench.receive({.peer = peer(2), .type = question, .request = ++number});
      }
      if (ms % 10 != 0) continue;
      bench.receive({.peer = peer(3), .type = question, .request = ++number});
      auto sent = bench.kernel.take().send;  // its answer is the last, and none is an error
      REQUIRE(sent.back().peer == peer(3));
      REQUIRE(sent.back().type == answer);
    }
    CHECK(served[2] >= 4000 * seconds);
    CHECK(served[2] <= 8000 + 4000 * seconds);
    CHECK(served[3] == 100 * seconds);
  }

  TEST_CASE("answering a request whose peer is gone does nothing") {
    Bench bench;
    std::vector<Request> kept;
    bench.kernel.serve(question, [&](const Request& request) { kept.push_back(request); });
    bench.receive({peer(2), question, 2, {}});
    bench.kernel.link_down(peer(2).id);
    bench.kernel.take();
    bench.kernel.reply(kept[0], answer, {});
    CHECK(bench.kernel.take().send.empty());
  }

  TEST_CASE("timers run in the order of their moments, those of one moment in the order made") {
    Bench bench;
    std::string order;
    for (auto [delay, letter] : {std::pair{20ms, 'c'}, {10ms, 'a'}, {10ms, 'b'}}) {
      bench.kernel.after(delay, [&order, c = letter] { order += c; });
    }
    CHECK(bench.kernel.wake_at() == Time(1s) + 10ms);
    bench.tick(5ms);
    CHECK(order.empty());
    bench.tick(100ms);
    CHECK(order == "abc");
  }

  TEST_CASE("a write is reported when it is durable, with its result") {
    Bench bench;
    std::string told;
    bench.kernel.write({{Table::meta, {1}, Bytes{2}}},
                       [&](Result<void> r) { told += r ? "ok" : r.error().text; });
    auto sent = bench.kernel.take();
    REQUIRE(sent.writes.size() == 1);
    CHECK(told.empty());
    bench.kernel.written(sent.writes[0].token, Error{ErrorCode::internal, "disk"});
    bench.kernel.settle();
    CHECK(told == "disk");
  }

  TEST_CASE("max_writes wait for the disk, and one more is told so at once") {
    Bench bench({.max_writes = 2});
    std::vector<std::string> told(4);
    auto write = [&](std::size_t i) {
      bench.kernel.write({{Table::meta, {1}, Bytes{2}}},
                         [&, i](Result<void> r) { told[i] = r ? "ok" : r.error().text; });
      bench.kernel.settle();
    };
    for (std::size_t i : {0U, 1U, 2U}) write(i);
    CHECK(told == std::vector<std::string>{"", "", "too many writes wait for the disk", ""});
    auto writes = bench.kernel.take().writes;
    REQUIRE(writes.size() == 2);
    bench.kernel.written(writes[0].token, {});
    write(3);
    CHECK(told[0] == "ok");
    CHECK(told[3].empty());
    CHECK(bench.kernel.take().writes.size() == 1);
    CHECK(bench.kernel.counters().writes_failed == 1);
  }

  TEST_CASE("as many timers run as there may be and one more is refused") {
    Bench bench({.max_timers = 3});
    int ran = 0;
    for (int i = 0; i < 3; ++i) bench.kernel.after(1s, [&] { ++ran; });
    Timer refused = bench.kernel.timer(1s, [&] { ++ran; });
    CHECK(!refused);
    CHECK(bench.kernel.counters().timers_refused == 1);
    CHECK(bench.kernel.take().log.size() == 1);
    bench.kernel.after(0s, [&] { ++ran; });  // what is due at once needs no timer
    bench.tick(1s);
    CHECK(ran == 4);
    bench.kernel.after(1s, [&] { ++ran; });
    bench.tick(1s);
    CHECK(ran == 5);
  }

  TEST_CASE("a timer that is cancelled or replaced or destroyed does not run") {
    Bench bench;
    std::string ran;
    auto say = [&](const char* what) { return [&ran, what] { ran += what; }; };
    Timer cancelled = bench.kernel.timer(1s, say("a"));
    Timer replaced = bench.kernel.timer(1s, say("b"));
    Timer kept;
    {
      Timer destroyed = bench.kernel.timer(1s, say("c"));
      Timer moved = bench.kernel.timer(1s, say("d"));
      kept = std::move(moved);
    }
    Timer soon = bench.kernel.timer(0s, say("e"));
    cancelled.cancel();
    soon.cancel();
    replaced = bench.kernel.timer(2s, say("f"));
    CHECK(!cancelled);
    CHECK(kept);
    bench.tick(1s);
    CHECK(ran == "d");
    CHECK(!kept);
    CHECK(bench.kernel.wake_at() == bench.kernel.now().mono + 1s);
    bench.tick(1s);
    CHECK(ran == "df");
  }

  TEST_CASE("a timer due in the same step can still be cancelled by the one before it") {
    Bench bench;
    int ran = 0;
    Timer second;
    Timer first = bench.kernel.timer(1s, [&] { second.cancel(); });
    second = bench.kernel.timer(1s, [&] { ++ran; });
    bench.tick(1s);
    CHECK(ran == 0);
  }

  TEST_CASE("a timer can be set again by its own action") {
    Bench bench;
    int ran = 0;
    Timer timer;
    std::function<void()> again = [&] {
      CHECK(!timer);
      if (++ran < 3) timer = bench.kernel.timer(1s, again);
    };
    timer = bench.kernel.timer(1s, again);
    for (int i = 0; i < 5; ++i) bench.tick(1s);
    CHECK(ran == 3);
  }

  TEST_CASE("a request waits as long as it was asked to, within the least and the greatest") {
    struct Case {
      Duration asked, waits;
    };
    for (auto [asked, waits] : {Case{7s, 7s}, {10ms, 10ms}, {1h, 30s}}) {
      CAPTURE(asked.count());
      Bench bench;
      Outcome outcome;
      bench.kernel.ask(peer(2), question, {}, asked, outcome.done());
      bench.tick(waits - 1us);
      CHECK(outcome.calls == 0);
      bench.tick(1us);
      CHECK(outcome.calls == 1);
    }
    Bench bench({.least_timeout = 2s, .greatest_timeout = 3s});
    Outcome outcome;
    bench.kernel.ask(peer(2), question, {}, 0s, outcome.done());  // by round trips: none are known
    bench.tick(2s - 1us);
    CHECK(outcome.calls == 0);
    bench.tick(1s + 1us);
    CHECK(outcome.calls == 1);
  }

  TEST_CASE("more open requests than a peer may have of us are answered with an error") {
    Bench bench({.rpc = {.max_open = 8, .max_open_per_peer = 2}});
    Outcome two[2], third, other;
    for (Outcome& one : two) bench.kernel.ask(peer(2), question, {}, 5s, one.done());
    bench.kernel.ask(peer(2), question, {}, 5s, third.done());
    bench.kernel.ask(peer(3), question, {}, 5s, other.done());
    bench.kernel.settle();
    CHECK(third.text.find("too many requests are open") == 0);
    CHECK(two[0].calls + two[1].calls + other.calls == 0);
    CHECK(bench.kernel.take().send.size() == 3);
  }

  TEST_CASE("more open requests of a peer than it may have are refused") {
    Bench bench({.inbound = {.max_open_per_peer = 2}});
    std::size_t served = 0;
    bench.kernel.serve(question, [&](const Request&) { ++served; });
    for (std::uint64_t n = 1; n <= 3; ++n) bench.receive({peer(2), question, n, {}});
    CHECK(served == 2);
    auto sent = bench.kernel.take().send;
    REQUIRE(sent.size() == 1);
    auto error = decode<ErrorBody>(sent[0].body);
    CHECK(error->status == Status::rate);
    CHECK(error->retry_after_ms == 1000);
  }

  TEST_CASE("work beyond one step's share waits for the next step") {
    Bench bench({.work_per_step = 2});
    int done = 0;
    for (int i = 0; i < 5; ++i) bench.kernel.after(0ms, [&] { ++done; });
    bench.tick(1ms);
    CHECK(done == 2);
    CHECK(bench.kernel.wake_at() == Time(1s) + 1ms);
    bench.tick(0ms);
    bench.tick(0ms);
    CHECK(done == 5);
  }

  TEST_CASE("an owner is found by asking and remembered when memory alone named it") {
    Bench bench;
    bench.kernel.tell_ring(chord::Assume{peer(9), {peer(9)}, {}});
    bench.kernel.link_up({.peer = peer(9), .epoch = 1});
    Id key = peer(5).id;
    std::vector<Result<Owner>> found;
    auto done = [&](const Result<Owner>& owner) { found.push_back(owner); };
    auto answer_state = [&] {
      for (const Frame& frame : bench.kernel.take().send) {
        if (frame.type != static_cast<std::uint8_t>(chord::MessageType::state_req)) continue;
        chord::Message state = chord::StateReply{chord::Mode::member, 1, peer(1), {peer(1)}};
        bench.receive({peer(9), static_cast<std::uint8_t>(chord::type_of(state)), frame.request,
                       chord::encode(state)});
      }
    };
    bench.kernel.lookup(key, done);
    answer_state();
    bench.kernel.lookup(key, done);  // memory names it, and it is asked
    answer_state();
    bench.kernel.recall(key, done);  // memory is enough
    bench.kernel.settle();
    REQUIRE(found.size() == 3);
    for (const auto& owner : found) {
      REQUIRE(owner);
      CHECK(owner->owner == peer(9));
      CHECK(owner->successors == std::vector{peer(1)});
    }
    CHECK(found[0]->contacts == 1);
    CHECK_FALSE(found[0]->remembered);
    CHECK(found[1]->contacts == 1);
    CHECK_FALSE(found[1]->remembered);
    CHECK(found[2]->contacts == 0);
    CHECK(found[2]->remembered);
    CHECK(bench.kernel.counters().lookups == 3);
    CHECK(bench.kernel.counters().lookups_failed == 0);
    CHECK(bench.kernel.counters().lookup_contacts == 2);
  }

  TEST_CASE("a lookup without a ring fails and is counted") {
    Bench bench;
    std::string text;
    bench.kernel.lookup(peer(5).id, [&](const Result<Owner>& owner) {
      text = owner ? "found" : owner.error().text;
    });
    bench.kernel.settle();
    CHECK(text == "no peer of the ring answers");
    CHECK(bench.kernel.counters().lookups == 1);
    CHECK(bench.kernel.counters().lookups_failed == 1);
  }

  TEST_CASE("a refusal names its reason and when to come again") {
    struct Case {
      ErrorCode code;
      Status status;
      std::uint32_t wait;
    };
    std::uint64_t number = 0;
    for (const Case& c : {Case{ErrorCode::invalid, Status::malformed, 0},
                          Case{ErrorCode::not_found, Status::not_found, 0},
                          Case{ErrorCode::refused, Status::forbidden, 0},
                          Case{ErrorCode::unavailable, Status::unavailable, 1000},
                          Case{ErrorCode::conflict, Status::too_old, 0},
                          Case{ErrorCode::internal, Status::storage, 0}}) {
      CAPTURE(static_cast<int>(c.status));
      Bench bench;
      bench.kernel.serve(question, [&](const Request& request) {
        bench.kernel.refuse(request, {c.code, "why\n" + std::string(300, 'x')});
      });
      bench.receive({peer(2), question, ++number, {}});
      auto sent = bench.kernel.take().send;
      REQUIRE(sent.size() == 1);
      CHECK(sent[0].request == number);
      auto body = decode<ErrorBody>(sent[0].body);
      REQUIRE(body);
      CHECK(body->status == c.status);
      CHECK(body->retry_after_ms == c.wait);
      CHECK(body->text.starts_with("why\\x0ax"));
      CHECK(body->text.size() == 200 + std::string("…").size());
    }
  }

  TEST_CASE("what becomes of requests is counted") {
    Bench bench;
    bench.kernel.serve(question,
                       [&](const Request& request) { bench.kernel.reply(request, answer, {}); });
    Outcome outcome;
    for (std::uint8_t n : Bytes{2, 3, 3, 4, 4, 4}) {
      bench.kernel.ask(peer(n), question, {}, 5s, outcome.done());
    }
    auto number = bench.kernel.take().send[0].request;
    bench.receive({peer(2), answer, number, {}});
    bench.receive({peer(2), answer, number, {}});  // nobody waits any more
    bench.kernel.link_down(peer(3).id);
    bench.tick(5s);
    bench.receive({peer(5), question, 1, {}});
    bench.receive({peer(5), 0x75, 2, {}});
    const Kernel::Counters& counts = bench.kernel.counters();
    CHECK(counts.asked == 6);
    CHECK(counts.answered == 1);
    CHECK(counts.failed == 2);
    CHECK(counts.expired == 3);
    CHECK(counts.served == 1);
    CHECK(counts.refused == 1);
    CHECK(outcome.calls == 6);
    CHECK(bench.kernel.open_requests() == 0);
    bench.kernel.ask(peer(6), question, {}, 5s, outcome.done());
    bench.kernel.unreachable(peer(6));
    CHECK(counts.failed == 3);
  }

  TEST_CASE("an error frame that cannot be read is an error too") {
    Bench bench;
    Outcome outcome;
    bench.kernel.ask(peer(2), question, {}, 5s, outcome.done());
    auto number = bench.kernel.take().send[0].request;
    bench.receive({peer(2), raw(FrameType::error), number, {0, 1}});
    CHECK(outcome.calls == 1);
    CHECK(outcome.text.find("error frame") != std::string::npos);
    bench.kernel.ask(peer(2), question, {}, 5s, outcome.done());
    number = bench.kernel.take().send[0].request;
    bench.receive({peer(2), raw(FrameType::error), number,
                   encode(ErrorBody{.status = Status::quota})});  // says nothing itself
    CHECK(outcome.text == to_error(Status::quota).text);
  }

  TEST_CASE("a ping is answered or found in vain for whoever asked") {
    Bench bench;
    bench.kernel.tell_ring(chord::Assume{peer(9), {peer(9)}, {}});
    bench.kernel.link_up({.peer = peer(9), .epoch = 1});
    bench.kernel.take();
    std::vector<chord::PingDone> told;
    bench.kernel.ping(peer(9), [&](const chord::PingDone& done) { told.push_back(done); });
    for (const Frame& frame : bench.kernel.take().send) {
      if (frame.type != static_cast<std::uint8_t>(chord::MessageType::ping)) continue;
      auto asked = chord::decode(frame.type, frame.body);
      chord::Message pong = chord::Pong{std::get<chord::Ping>(*asked).nonce, chord::Mode::member};
      bench.receive({peer(9), static_cast<std::uint8_t>(chord::type_of(pong)), frame.request,
                     chord::encode(pong)});
    }
    REQUIRE(told.size() == 1);
    CHECK(told[0].peer == peer(9));
  }
}
