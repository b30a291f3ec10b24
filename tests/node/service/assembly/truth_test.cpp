// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdlib>

#include "base/json.h"
#include "tests/world/service_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("service/complete means complete");

namespace {

std::uint64_t seeds(std::uint64_t standard) {
  const char* many = std::getenv("BECKON_SEEDS");
  return many != nullptr ? std::strtoull(many, nullptr, 10) : standard;
}

const std::vector<std::string> hobbies{"chess", "go", "music", "running"};

struct Tally {
  std::size_t answers{}, open{}, wrong{}, lacking{}, puts{}, unsafe{}, compared{};
  std::map<std::int64_t, std::pair<std::size_t, std::size_t>> by_second{};  // answers, open
  Time last_wrong{};
};

/// Whole nodes that publish people and ask questions all the time, from the first join on. Every
/// answer that is called complete is compared with the people that were reported safe before its
/// question began. People whose host is away count as found when they are named.
class Truth {
 public:
  explicit Truth(std::uint64_t seed)
      : world(seed, ServiceWorld::With::people), rng_(Rng(seed).split("truth")) {}

  void start(std::size_t i, std::size_t through = 0) {
    bool founder = !founded_;
    founded_ = true;
    auto join = founder ? std::vector<std::string>{} : std::vector<std::string>{address(through)};
    world.up(address(i), join, founder);
    nodes_ = std::max(nodes_, i + 1);
  }
  void kill(std::size_t i) {
    world.kill(address(i));
    auto here = [&](const auto& entry) { return entry.second.at == i; };
    std::erase_if(putting_, here);
    std::erase_if(asking_, here);
  }
  void sleep(std::size_t i, Duration time) { world.sleep(address(i), time); }
  void leave(std::size_t i) { world.down(address(i)); }

  bool up(std::size_t i) {
    return world.has(address(i)) && world.node(address(i)).service != nullptr &&
           !world.node(address(i)).finished;
  }
  bool member(std::size_t i) {
    return up(i) && world.node(address(i)).service->ring().mode() == chord::Mode::member;
  }
  std::vector<std::size_t> members() {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < nodes_; ++i) {
      if (member(i)) out.push_back(i);
    }
    return out;
  }

  /// One person, imported and published; safe when the reply says so.
  void put(std::size_t at) {
    std::string name = fmt::format("p{}", ++last_person_);
    std::string hobby = hobbies[rng_.below(hobbies.size())];
    Json person{{"nickname", name}, {"hobby", Json::array({hobby})}};
    auto exchange = world.http(address(at), {.method = "POST",
                                             .path = "/v1/profile/import",
                                             .query = {{"publish", "1"}},
                                             .body = person.dump() + "\n"});
    putting_[exchange] = {.at = at, .person = name, .hobby = hobby};
    ++tally.puts;
  }
  void ask(std::size_t at) {
    std::string hobby = hobbies[rng_.below(hobbies.size())];
    auto exchange = world.http(address(at), {.method = "GET",
                                             .path = "/v1/find",
                                             .query = {{"_q", "hobby=" + hobby},
                                                       {"_limit", "10000"},
                                                       {"_unverified", "1"},
                                                       {"_explain", "1"}}});
    asking_[exchange] = {
        .at = at, .began = world.now().mono, .hobby = hobby, .wanted = safe_[hobby]};
  }

  /// Goes on for a time; looks at every answer as it arrives.
  void run(Duration time) {
    world.run_until([&] { return look(), false; }, time);
  }
  bool run_until(const std::function<bool()>& done, Duration limit) {
    return world.run_until([&] { return look(), done(); }, limit);
  }
  /// Each member asks every `pace`, and somebody publishes every `put_pace`.
  void busy(Duration time, Duration pace, Duration put_pace) {
    Time end = world.now().mono + time;
    Time next_put = world.now().mono;
    while (world.now().mono < end) {
      auto who = members();
      for (std::size_t i : who) ask(i);
      if (!who.empty() && world.now().mono >= next_put) {
        put(who[rng_.below(who.size())]);
        next_put = world.now().mono + put_pace;
      }
      run(pace);
    }
  }
  /// Waits for what is under way.
  void drain() {
    run_until([&] { return asking_.empty() && putting_.empty(); }, 90s);
  }

  ServiceWorld world;
  Tally tally{};
  std::vector<std::string> mistakes{};  // the first few
  Rng& rng() { return rng_; }

 private:
  struct Putting {
    std::size_t at{};
    std::string person{}, hobby{};
  };
  struct Asking {
    std::size_t at{};
    Time began{};
    std::string hobby{};
    std::set<std::string> wanted{};  // ids
  };
  static std::string address(std::size_t i) { return fmt::format("node{}:1", i); }

  /// The body of a reply that has come, once.
  std::optional<Json> reply(std::size_t at, ExchangeId exchange) {
    auto& node = world.node(address(at));
    auto status = node.status.find(exchange);
    if (status == node.status.end()) return {};
    Json out = status->second == 200 ? json_or_null(node.http[exchange]) : Json();
    node.http.erase(exchange);
    node.status.erase(status);
    return out;
  }
  void look() {
    std::erase_if(putting_, [&](const auto& entry) {
      auto told = reply(entry.second.at, entry.first);
      if (told) stored(entry.second, *told);
      return told.has_value();
    });
    std::erase_if(asking_, [&](const auto& entry) {
      auto told = reply(entry.second.at, entry.first);
      if (told) answered(entry.second, *told);
      return told.has_value();
    });
  }
  void stored(const Putting& put, const Json& told) {
    if (!told.is_object() || told["published"] != 1) {
      ++tally.unsafe;
      return;
    }
    for (const auto& [id, user] : world.node(address(put.at)).hosting->users().all()) {
      if (user.published_profile &&
          user.published_profile->text.find('"' + put.person + '"') != std::string::npos)
        safe_[put.hobby].insert(id.hex());
    }
  }
  void answered(const Asking& question, const Json& told) {
    ++tally.answers;
    auto& second = tally.by_second[std::chrono::duration_cast<std::chrono::seconds>(
                                       question.began.time_since_epoch())
                                       .count()];
    ++second.first;
    bool complete = told.is_object() && told["complete"] == true && told["limited"] == false;
    if (!complete) {
      ++tally.open;
      ++second.second;
      return;
    }
    std::set<std::string> got;
    for (const Json& person : told["people"]) got.insert(person["id"].get<std::string>());
    tally.compared += question.wanted.size();
    std::size_t lacking = 0;
    for (const std::string& id : question.wanted) lacking += got.contains(id) ? 0 : 1;
    if (lacking == 0) return;
    ++tally.wrong;
    tally.lacking += lacking;
    tally.last_wrong = question.began;
    if (mistakes.size() < 3)
      mistakes.push_back(fmt::format("{} asked hobby={}: {} of {} safe people missing: {}",
                                     address(question.at), question.hobby, lacking,
                                     question.wanted.size(), told["explain"]["reads"].dump()));
  }

  Rng rng_;
  bool founded_ = false;
  std::size_t nodes_ = 0;
  std::size_t last_person_ = 0;
  std::map<std::string, std::set<std::string>> safe_{};  // ids by hobby
  std::map<ExchangeId, Putting> putting_{};
  std::map<ExchangeId, Asking> asking_{};
};

/// Runs a scenario over seeds. It must give answers that are complete, and none of them wrong.
template <typename Scenario>
void check(const char* name, std::uint64_t standard, Scenario scenario) {
  Tally sum;
  for (std::uint64_t seed = 1; seed <= seeds(standard); ++seed) {
    CAPTURE(seed);
    Truth truth(seed);
    scenario(truth);
    truth.drain();
    for (const std::string& mistake : truth.mistakes) FAIL_CHECK(mistake);
    sum.answers += truth.tally.answers;
    sum.open += truth.tally.open;
    sum.wrong += truth.tally.wrong;
    sum.lacking += truth.tally.lacking;
    sum.puts += truth.tally.puts;
    sum.unsafe += truth.tally.unsafe;
    sum.compared += truth.tally.compared;
  }
  MESSAGE(fmt::format(
      "{}: {} answers, {} open, {} wrong ({} of {} people missing); {} puts, {} not safe", name,
      sum.answers, sum.open, sum.wrong, sum.lacking, sum.compared, sum.puts, sum.unsafe));
  CHECK(sum.wrong == 0);
  CHECK(sum.open < sum.answers);
  CHECK(sum.unsafe < sum.puts);
  CHECK(sum.compared > sum.answers);  // else the questions were about nobody
}

}  // namespace

TEST_CASE("no complete answer lacks a safe person: joins in a row") {
  check("joins in a row", 20, [](Truth& t) {
    for (std::size_t i = 0; i < 6; ++i) {
      t.start(i);
      t.run_until([&] { return t.member(i); }, 30s);
      t.put(i);
      t.put(i);
      t.busy(200ms, 50ms, 100ms);
    }
    t.busy(5s, 100ms, 500ms);
  });
}

TEST_CASE("no complete answer lacks a safe person: a start storm") {
  check("start storm", 20, [](Truth& t) {
    t.start(0);
    t.run_until([&] { return t.member(0); }, 30s);
    for (int i = 0; i < 4; ++i) t.put(0);
    for (std::size_t i = 1; i < 8; ++i) {
      t.start(i);
      t.run(Duration(t.rng().between(1'000, 120'000)));
    }
    t.busy(12s, 100ms, 150ms);
  });
}

TEST_CASE("no complete answer lacks a safe person: joins during publishing and leaving in a row") {
  check("joins while publishing, leaving in a row", 10, [](Truth& t) {
    t.start(0);
    t.run_until([&] { return t.member(0); }, 30s);
    for (std::size_t i = 1; i < 8; ++i) {
      t.busy(Duration(t.rng().between(50'000, 800'000)), 100ms, 50ms);
      t.start(i, t.rng().below(i));
    }
    t.busy(5s, 200ms, 100ms);
    for (std::size_t i = 1; i < 5; ++i) {
      t.leave(i);
      t.busy(300ms, 100ms, 100ms);
    }
    t.busy(10s, 200ms, 300ms);
  });
}

TEST_CASE("no complete answer lacks a safe person: sleeping nodes") {
  check("sleeping nodes", 10, [](Truth& t) {
    for (std::size_t i = 0; i < 8; ++i) {
      t.start(i);
      t.run_until([&] { return t.member(i); }, 30s);
    }
    t.busy(3s, 200ms, 100ms);
    for (int round = 0; round < 6; ++round) {
      t.sleep(t.rng().below(8), Duration(t.rng().between(1'000'000, 10'000'000)));
      t.busy(Duration(t.rng().between(500'000, 4'000'000)), 200ms, 150ms);
    }
    t.busy(15s, 300ms, 300ms);
  });
}

TEST_CASE("no complete answer lacks a safe person: crashes with return") {
  check("crashes with return", 10, [](Truth& t) {
    for (std::size_t i = 0; i < 8; ++i) {
      t.start(i);
      t.run_until([&] { return t.member(i); }, 30s);
    }
    t.busy(3s, 200ms, 100ms);
    for (int round = 0; round < 6; ++round) {
      std::size_t one = 1 + t.rng().below(7);
      t.kill(one);
      t.busy(Duration(t.rng().between(200'000, 6'000'000)), 200ms, 150ms);
      t.start(one);
      t.busy(Duration(t.rng().between(200'000, 3'000'000)), 200ms, 150ms);
    }
    t.busy(10s, 300ms, 300ms);
  });
}

TEST_SUITE_END();
