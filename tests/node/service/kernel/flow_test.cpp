// SPDX-License-Identifier: MIT
#include "node/service/kernel/flow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/world/fake_net.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

namespace {

using Token = std::shared_ptr<int>;  // counts who holds it: frames, locals, callbacks

test::FakeNet::Boot no_parts() {
  return [](test::FakeNode& node) {
    node.on(raw(FrameType::get_req),
            [&node](const Request& r) { node.reply(r, raw(FrameType::get_rep), r.body); });
    return std::make_shared<int>(0);
  };
}

/// A part with flows whose questions wait here until the test answers them.
struct Desk {
  explicit Desk(std::size_t limit = 8) : flows(limit) { net.start(node.self().id); }

  Pending<int> question(std::string name) {
    return {context, [&](auto answer) {
              asked.push_back(std::move(name));
              answers.push_back(answer);
            }};
  }
  Flow<int> twice(Token held) {
    auto first = question("first");
    auto second = question("second");
    auto a = co_await first;
    auto b = co_await second;
    co_return a** held + b;
  }
  Flow<int> steps(std::string name, Token held) {
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
      auto wait = question(name);
      auto value = co_await wait;
      auto copy = held;
      auto moment = pause(context, 1ms);
      co_await moment;
      sum += value;
    }
    co_return sum;
  }
  Flow<std::string> nested(Token held) {
    auto inner = steps("inner", held);
    auto sum = co_await inner;
    auto more = steps("more", std::move(held));
    auto rest = co_await more;
    co_return std::to_string(sum) + "+" + std::to_string(rest);
  }
  void answer(int value, std::size_t which = 0) {
    auto asked_for = answers.at(which);
    answers.erase(answers.begin() + static_cast<std::ptrdiff_t>(which));
    asked_for(value);
  }

  test::FakeNet net{1, {}, no_parts()};
  test::FakeNode& node = net.add();
  Context& context = node;
  std::vector<std::string> asked{};
  std::vector<std::function<void(int)>> answers{};
  Scope flows;
};

}  // namespace

TEST_SUITE("service/flow") {
  TEST_CASE("a flow runs to its first wait when started and goes on when the answer comes") {
    Desk desk;
    int result = 0;
    desk.flows.start(desk.twice(std::make_shared<int>(10)), [&](int value) { result = value; });
    CHECK(desk.asked == std::vector<std::string>{"first", "second"});  // beside each other
    CHECK(desk.flows.size() == 1);
    auto first = desk.answers[0];
    desk.answers[1](2);  // kept until it is awaited
    CHECK(result == 0);
    first(1);
    CHECK(result == 12);
    CHECK(desk.flows.size() == 0);
    first(5);  // answered once
    CHECK(result == 12);
  }

  TEST_CASE("a flow that nobody starts does nothing and leaves nothing behind") {
    Desk desk;
    auto token = std::make_shared<int>(1);
    {
      auto unused = desk.twice(token);
      CHECK(token.use_count() == 2);
    }
    CHECK(token.use_count() == 1);
    CHECK(desk.asked.empty());
  }

  TEST_CASE("a flow destroyed at any of its waits leaves nothing and late answers find nobody") {
    for (int waits = 0; waits <= 8; ++waits) {
      for (bool cleared : {true, false}) {
        CAPTURE(waits);
        Desk desk;
        auto token = std::make_shared<int>(1);
        std::string result;
        auto flows = std::make_unique<Scope>(2);
        flows->start(desk.nested(token),
                     [&, token](std::string text) { result = std::move(text); });
        for (int i = 0; i < waits; ++i) {
          if (i % 2 == 1)
            desk.net.run_for(1ms);
          else
            desk.answer(i);
        }
        CHECK((desk.context.waiters().size() == 0) == (waits == 8));
        CHECK(result == (waits == 8 ? "2+10" : ""));
        if (cleared)
          flows->clear();
        else
          flows.reset();
        CHECK(token.use_count() == 1);
        CHECK(desk.context.waiters().size() == 0);
        while (!desk.answers.empty()) desk.answer(7);
        desk.net.run_for(10ms);
        CHECK(result == (waits == 8 ? "2+10" : ""));
      }
    }
  }

  TEST_CASE("a late answer does not reach who took the place of the one that asked") {
    Desk desk;
    auto token = std::make_shared<int>(1);
    desk.flows.start(desk.steps("gone", token), [](int) {});
    auto late = desk.answers.front();
    desk.answers.clear();
    desk.flows.clear();
    desk.flows.start(desk.steps("here", token), [](int) {});
    late(1);
    desk.net.run_for(10ms);
    CHECK(desk.asked == std::vector<std::string>{"gone", "here"});
    desk.answer(1);
    desk.net.run_for(10ms);
    CHECK(desk.asked == std::vector<std::string>{"gone", "here", "here"});
  }

  TEST_CASE("places of waiters are used again") {
    Waiters waiters;
    struct Some : Waiter {
    } some;
    auto first = waiters.enter(some);
    waiters.leave(first);
    for (int i = 0; i < 1000; ++i) {
      auto next = waiters.enter(some);
      CHECK(next.place == first.place);
      CHECK(waiters.find(next) == &some);
      CHECK(waiters.find(first) == nullptr);
      waiters.leave(next);
      CHECK(waiters.find(next) == nullptr);
    }
    CHECK(waiters.size() == 0);
  }

  TEST_CASE("a value is handed over when the frame is gone and its place is free") {
    Desk desk(1);
    auto token = std::make_shared<int>(3);
    bool handed_over = false;
    desk.flows.start(desk.twice(token), [&](int) {
      handed_over = true;
      CHECK(token.use_count() == 1);
      CHECK_FALSE(desk.flows.full());
      desk.flows.start(desk.twice(token), [](int) {});
      CHECK(desk.flows.full());
    });
    CHECK(desk.flows.full());
    desk.answer(1);
    desk.answer(1);
    CHECK(handed_over);
    CHECK(desk.flows.size() == 1);
  }

  TEST_CASE("who gets the value may destroy the scope") {
    Desk desk;
    auto token = std::make_shared<int>(3);
    auto flows = std::make_unique<Scope>(4);
    flows->start(desk.twice(token), [](int) {});
    flows->start(desk.twice(token), [&, token](int) { flows.reset(); });
    desk.answers[2](1);
    desk.answers[3](1);
    CHECK(flows == nullptr);
    CHECK(token.use_count() == 1);
    CHECK(desk.context.waiters().size() == 0);
  }

  /// Of a flow that destroys its own scope, and of one that such a flow awaits.
  struct Ending {
    Desk& desk;
    Flow<void> end(Token held) {
      auto ready = desk.question("ready");
      desk.answer(1);
      flows.reset();
      steps += "a";
      if (wait_for == "answer") {
        auto wait = desk.question("asked, not waited for");
        co_await wait;
      } else if (wait_for == "ready answer") {
        co_await ready;
      } else if (wait_for == "flow") {
        auto flow = leaf(held);
        co_await flow;
      } else if (wait_for == "window") {
        Scope window(1);
        auto room = window.room();
        co_await room;
      }
      steps += "b";
    }
    Flow<void> leaf(Token) {
      steps += "leaf";
      co_return;
    }
    Flow<void> outer(Token held) {
      auto inner = end(std::move(held));
      co_await inner;
      steps += "c";
    }
    std::string wait_for{};
    std::string steps{};
    std::unique_ptr<Scope> flows = std::make_unique<Scope>(2);
  };

  TEST_CASE("a flow that is on the stack when its scope goes ends at its next wait") {
    for (std::string wait : {"answer", "ready answer", "flow", "window", "nothing"}) {
      for (bool outer : {false, true}) {
        CAPTURE(wait);
        CAPTURE(outer);
        Desk desk;
        Ending ending{desk, wait};
        auto token = std::make_shared<int>(1);
        bool done = false;
        ending.flows->start(outer ? ending.outer(token) : ending.end(token), [&] { done = true; });
        CHECK(ending.steps == (wait == "nothing" ? "ab" : "a"));
        CHECK_FALSE(done);
        CHECK(token.use_count() == 1);
        while (!desk.answers.empty()) desk.answer(1);
        CHECK(ending.steps == (wait == "nothing" ? "ab" : "a"));
        CHECK(desk.context.waiters().size() == 0);
      }
    }
  }

  /// Of a flow with a window.
  struct Crowd {
    Desk& desk;
    Flow<void> one(int* sum, Token) {
      auto wait = desk.question("one");
      auto value = co_await wait;
      *sum += value;
    }
    Flow<int> all(int count, Token held) {
      int sum = 0;
      Scope window(3);
      for (int i = 0; i < count; ++i) {
        auto room = window.room();
        co_await room;
        window.start(one(&sum, held));
        most = std::max(most, window.size());
      }
      auto idle = window.idle();
      co_await idle;
      co_return sum;
    }
    std::size_t most = 0;
  };

  TEST_CASE("a window lets so many run at once and waits for all of them") {
    Desk desk;
    Crowd crowd{desk};
    auto token = std::make_shared<int>(1);
    int result = 0;
    desk.flows.start(crowd.all(10, token), [&](int sum) { result = sum; });
    for (int i = 0; i < 10; ++i) {
      CHECK(desk.asked.size() == static_cast<std::size_t>(std::min(i + 3, 10)));
      CHECK(result == 0);
      desk.answer(1, i < 8 ? static_cast<std::size_t>(i % 3) : 0);  // in any order
    }
    CHECK(result == 10);
    CHECK(crowd.most == 3);
    CHECK(token.use_count() == 1);
  }

  TEST_CASE("a window destroyed in flight takes its flows with it") {
    for (int answered = 0; answered < 10; ++answered) {
      Desk desk;
      Crowd crowd{desk};
      auto token = std::make_shared<int>(1);
      desk.flows.start(crowd.all(10, token), [](int) { FAIL("it was given up"); });
      for (int i = 0; i < answered; ++i) desk.answer(1);
      desk.flows.clear();
      CHECK(token.use_count() == 1);
      CHECK(desk.context.waiters().size() == 0);
      while (!desk.answers.empty()) desk.answer(1);
    }
  }

  /// Of a flow whose steps need not wait.
  struct Quick {
    [[gnu::noinline]] void look() {
      auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
      lowest = std::min(lowest, here);
      highest = std::max(highest, here);
    }
    Flow<int> step(int i) {
      look();
      co_return i % 2;
    }
    Flow<int> many() {
      int sum = 0;
      for (int i = 0; i < 1'000'000; ++i) {
        auto next = step(i);
        auto value = co_await next;
        sum += value;
      }
      co_return sum;
    }
    std::uintptr_t lowest = ~std::uintptr_t{0};
    std::uintptr_t highest = 0;
  };

  TEST_CASE("a million awaits that need not wait use no stack") {
    Quick quick;
    Scope flows(1);
    int result = 0;
    flows.start(quick.many(), [&](int sum) { result = sum; });
    CHECK(result == 500'000);
    CHECK(quick.highest - quick.lowest < 1024);
  }

  /// Of a flow that uses all of a Context.
  struct Tour {
    Context& context;
    Flow<std::string> go(Id key, Bytes said) {
      auto owner_found = lookup(context, key);
      auto owner = co_await owner_found;
      auto owner_known = recall(context, key);
      auto known = co_await owner_known;
      if (known->owner != owner->owner) co_return "another owner";
      auto reply = ask(context, owner->owner, FrameType::get_req, said, 1s);
      auto frame = co_await reply;
      if (!frame || frame->body != said) co_return "another answer";
      auto unknown = ask(context, owner->owner, FrameType::put_req, said, 1s);
      auto refused = co_await unknown;
      if (refused) co_return "a refusal came as an answer";
      auto moment = pause(context, 1h);
      Time began = context.now().mono;
      co_await moment;
      if (context.now().mono - began != 1h) co_return "another time";
      auto durable = write(context, {});
      auto written = co_await durable;
      co_return written ? "all of it" : "not written";
    }
  };

  TEST_CASE("a flow looks up and asks and pauses and writes as its context does") {
    test::FakeNet net(1, {}, no_parts());
    auto& node = net.add();
    auto& other = net.add();
    net.start(node.self().id);
    net.start(other.self().id);
    Tour tour{node};
    Scope flows(1);
    std::string result;
    flows.start(tour.go(other.self().id, {1, 2, 3}), [&](std::string text) { result = text; });
    CHECK(net.run_until([&] { return !result.empty(); }, 2h));
    CHECK(result == "all of it");
  }
}
