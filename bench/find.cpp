// What does it cost to publish and to find? Real nodes, one process each, on loopback; people of
// scripts/sample_people; all asked through the API as the client does.
// usage: bench_find [--nodes 16] [--people 2000] [--finds 1000]
// Finds have three terms, a limit of 50 and everybody verified. Their time is the node's own, from
// the request at its API to the last answer; beside it the round trip of 200 bytes over bare TLS.
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/bare_trip.h"
#include "bench/harness.h"
#include "bench/overlay.h"

using namespace beckon;
using bench::give_up;
using bench::Overlay;
using bench::percentile;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
  std::size_t nodes = 16;
  std::size_t people = 2000;
  std::size_t finds = 1000;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> sample_people(std::size_t count) {
  std::FILE* pipe = ::popen(fmt::format("{} --count {}", BECKON_SAMPLES, count).c_str(), "r");
  if (pipe == nullptr) give_up("scripts/sample_people cannot be run");
  std::vector<std::string> out(1);
  for (int c; (c = std::fgetc(pipe)) != EOF;) {
    out.back() += static_cast<char>(c);
    if (c == '\n') out.emplace_back();
  }
  out.pop_back();
  if (::pclose(pipe) != 0 || out.size() != count) give_up("scripts/sample_people failed");
  return out;
}

/// Every node imports and publishes its share, all at once.
void publish(Overlay& overlay, const std::vector<std::string>& people) {
  std::atomic<std::uint64_t> published = 0;
  auto share = [&](std::size_t node) {
    std::string batch;
    auto flush = [&] {
      if (batch.empty()) return;
      auto reply = overlay.ask(node, {.method = "POST",
                                      .path = "/v1/profile/import",
                                      .query = {{"publish", "1"}},
                                      .body = std::exchange(batch, {}),
                                      .timeout = std::chrono::minutes(10)});
      published += reply["published"].get<std::uint64_t>();
    };
    for (std::size_t i = node; i < people.size(); i += overlay.size()) {
      if (batch.size() + people[i].size() > 60 * 1024) flush();
      batch += people[i];
    }
    flush();
  };
  auto start = Clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < overlay.size(); ++i) threads.emplace_back(share, i);
  for (std::thread& thread : threads) thread.join();
  double seconds = seconds_since(start);
  std::uint64_t records = 0;
  Json hosted = overlay.ask(0, {.path = "/v1/users"});
  for (const Json& user : hosted["users"]) records += user["records"].get<std::uint64_t>();
  fmt::print("publish   {} of {} people in {:.1f} s: {:.0f} people/s; about {:.1f} records each\n",
             published, people.size(), seconds, static_cast<double>(published) / seconds,
             static_cast<double>(records) * static_cast<double>(overlay.size()) /
                 static_cast<double>(people.size()));
}

struct Finds {
  std::vector<double> ms{}, messages{}, bytes{}, found{};
  std::size_t incomplete = 0;
};

Finds find(Overlay& overlay, std::size_t count) {
  const char* const texts[] = {"hobby=chess age=20..60 lang=en", "hobby=go age=25..50 lang=en",
                               "city=taipei age=20..60 lang=zh",
                               "hobby=cycling age=18..70 lang=en"};
  Finds out;
  for (std::size_t i = 0; i < count; ++i) {
    auto answer = overlay.ask(
        i % overlay.size(),
        {.path = "/v1/find",
         .query = {{"_q", texts[i % std::size(texts)]}, {"_limit", "50"}, {"_timeout", "20s"}}});
    const Json& stats = answer["stats"];
    out.ms.push_back(stats["elapsed_ms"].get<double>());
    out.messages.push_back(stats["messages"].get<double>());
    out.bytes.push_back(stats["bytes"].get<double>());
    out.found.push_back(static_cast<double>(answer["people"].size()));
    if (!answer["complete"].get<bool>()) ++out.incomplete;
  }
  return out;
}

bool report(const Finds& finds, const std::vector<double>& trips) {
  double trip_ms = percentile(trips, 0.5) / 1000;
  double p50 = percentile(finds.ms, 0.5);
  fmt::print("bare TLS  round trip p50 {:.0f} us, p99 {:.0f} us\n", 1000 * trip_ms,
             percentile(trips, 0.99));
  fmt::print(
      "find      p50 {:.2f} ms, p99 {:.2f} ms; {:.0f} people, {:.0f} messages, {:.0f} bytes "
      "(medians); {} of {} incomplete\n",
      p50, percentile(finds.ms, 0.99), percentile(finds.found, 0.5),
      percentile(finds.messages, 0.5), percentile(finds.bytes, 0.5), finds.incomplete,
      finds.ms.size());
  std::size_t tenth = std::max<std::size_t>(finds.ms.size() / 10, 1);
  double early = percentile({finds.ms.begin(), finds.ms.begin() + static_cast<long>(tenth)}, 0.5);
  double late = percentile({finds.ms.end() - static_cast<long>(tenth), finds.ms.end()}, 0.5);
  bool kept = bench::promise("a find in bare round trips (p50)", p50 / trip_ms, "<=", 12);
  return bench::promise("the last tenth of the finds over the first (p50)", late / early,
                        "<=", 1.5) &&
         kept;
}

Options read_options(int argc, char** argv) {
  Options out;
  std::map<std::string, std::size_t*> known{
      {"--nodes", &out.nodes}, {"--people", &out.people}, {"--finds", &out.finds}};
  for (int i = 1; i + 1 < argc; i += 2) {
    auto found = known.find(argv[i]);
    if (found == known.end()) give_up(fmt::format("no flag {}", argv[i]));
    *found->second = static_cast<std::size_t>(std::atoll(argv[i + 1]));
  }
  if (argc % 2 == 0 || out.nodes == 0 || out.people == 0 || out.finds == 0)
    give_up("usage: bench_find [--nodes N] [--people N] [--finds N]");
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = read_options(argc, argv);
  auto people = sample_people(options.people);
  Overlay overlay(options.nodes);
  publish(overlay, people);
  auto trips = bench::bare_round_trips(2000);
  Finds finds = find(overlay, options.finds);
  auto after = bench::bare_round_trips(2000);
  trips.insert(trips.end(), after.begin(), after.end());
  return report(finds, trips) ? 0 : 1;
}
