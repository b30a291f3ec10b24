// SPDX-License-Identifier: MIT
// What does it cost to publish and to find? Real nodes, one process each, on loopback; people of
// scripts/sample_people; all asked through the API as the client does.
// usage: bench_find [--nodes 16] [--people 2000] [--finds 1000]
// Finds have three terms and a limit of 50, and everybody is verified. Their time is the node's
// own, from the question to the last answer; how long the client waited, its JSON included, stands
// beside it. The yardstick, measured in turn with the finds, is a round trip over bare TLS between
// two processes with messages as large as those of a find. Beside it the bones of a find: as many
// such exchanges as a find has, first one, then the rest at once, with as many processes as nodes.
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>

#include "base/json.h"
#include "bench/bare_trip.h"
#include "bench/harness.h"
#include "bench/overlay.h"

using namespace beckon;
using bench::give_up;
using bench::Overlay;
using bench::percentile;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t frame_head = 18;  // of our own frames, in front of each body

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
      if (!reply["failed"].empty())
        fmt::print(stderr, "node {}: {}\n", node, reply["failed"].front().dump());
    };
    for (std::size_t i = node; i < people.size(); i += overlay.size()) {
      if (batch.size() + people[i].size() > 60 * 1024) flush();
      batch += people[i];
    }
    flush();
  };
  double cpu = overlay.cpu_seconds();
  auto start = Clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < overlay.size(); ++i) threads.emplace_back(share, i);
  for (std::thread& thread : threads) thread.join();
  double seconds = seconds_since(start);
  cpu = overlay.cpu_seconds() - cpu;
  std::uint64_t records = 0;
  Json hosted = overlay.ask(0, {.path = "/v1/users"});
  for (const Json& user : hosted["users"]) records += user["records"].get<std::uint64_t>();
  double count = static_cast<double>(published);
  fmt::print(
      "publish   {} of {} people in {:.1f} s: {:.0f} people/s, {:.2f} ms of CPU each over all "
      "nodes; about {:.1f} records each\n",
      published, people.size(), seconds, count / seconds, 1000 * cpu / count,
      static_cast<double>(records * overlay.size()) / static_cast<double>(people.size()));
  std::fflush(stdout);
}

struct Finds {
  std::vector<double> ms{}, waited{}, messages{}, bytes{}, found{};
  std::size_t incomplete = 0;
  double cpu = 0;
};

void find(Overlay& overlay, std::size_t node, const std::string& question, Finds& out) {
  auto start = Clock::now();
  auto answer = overlay.ask(
      node,
      {.path = "/v1/find", .query = {{"_q", question}, {"_limit", "50"}, {"_timeout", "20s"}}});
  out.waited.push_back(1000 * seconds_since(start));
  const Json& stats = answer["stats"];
  out.ms.push_back(stats["elapsed_ms"].get<double>());
  out.messages.push_back(stats["messages"].get<double>());
  out.bytes.push_back(stats["bytes"].get<double>());
  out.found.push_back(static_cast<double>(answer["people"].size()));
  if (!answer["complete"].get<bool>()) ++out.incomplete;
}

/// Questions of three terms with at least 50 answers in this population.
std::vector<std::string> questions(Overlay& overlay) {
  std::vector<std::string> out;
  Finds trial;
  for (const char* hobby : {"chess", "go", "cycling", "photography", "sailing", "kendo", "poetry",
                            "baking", "climbing", "origami", "cello", "gardening"}) {
    for (const char* rest :
         {"age=20..60 lang=en", "age=25..50 lang=zh", "age=18..70 city=taipei"}) {
      std::string question = fmt::format("hobby={} {}", hobby, rest);
      find(overlay, out.size() % overlay.size(), question, trial);
      if (trial.found.back() == 50) out.push_back(question);
    }
  }
  if (out.empty()) give_up("no question has 50 answers; take more people");
  return out;
}

/// What bare TLS takes, in microseconds.
struct Bare {
  std::size_t size{};   // of a message
  std::size_t hosts{};  // asked at once in a find
  std::vector<double> trips{}, finds{};
};

bool report(const Finds& finds, const Bare& bare) {
  double trip_ms = percentile(bare.trips, 0.5) / 1000;
  double p50 = percentile(finds.ms, 0.5);
  fmt::print("bare TLS  round trip of {} bytes each way: p50 {:.0f} us, p10 {:.0f}, p99 {:.0f}\n",
             bare.size, 1000 * trip_ms, percentile(bare.trips, 0.1), percentile(bare.trips, 0.99));
  fmt::print("          one exchange, then {} at once with others: p50 {:.0f} us, p10 {:.0f}\n",
             bare.hosts, percentile(bare.finds, 0.5), percentile(bare.finds, 0.1));
  fmt::print(
      "find      p50 {:.2f} ms, p99 {:.2f} ms (client p50 {:.2f}, p99 {:.2f}); {:.2f} ms of CPU "
      "over all nodes; {:.0f} people, {:.0f} messages, {:.0f} bytes (medians); {} of {} "
      "incomplete\n",
      p50, percentile(finds.ms, 0.99), percentile(finds.waited, 0.5),
      percentile(finds.waited, 0.99), 1000 * finds.cpu / static_cast<double>(finds.ms.size()),
      percentile(finds.found, 0.5), percentile(finds.messages, 0.5), percentile(finds.bytes, 0.5),
      finds.incomplete, finds.ms.size());
  std::size_t tenth = std::max<std::size_t>(finds.ms.size() / 10, 1);
  double early = percentile({finds.ms.begin(), finds.ms.begin() + static_cast<long>(tenth)}, 0.5);
  double late = percentile({finds.ms.end() - static_cast<long>(tenth), finds.ms.end()}, 0.5);
  fmt::print("growth    first tenth p50 {:.2f} ms, last tenth p50 {:.2f} ms\n", early, late);
  bool kept = bench::promise("a find in bare round trips (p50)", p50 / trip_ms, "<=", 12);
  return bench::promise("the last tenth of the finds over the first (p50)", late / early,
                        "<=", 1.25) &&
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
  auto asked = questions(overlay);
  Finds probe;
  for (std::size_t i = 0; i < 64; ++i)
    find(overlay, i % overlay.size(), asked[i % asked.size()], probe);
  double messages = percentile(probe.messages, 0.5);
  Bare bare{.size = frame_head + static_cast<std::size_t>(percentile(probe.bytes, 0.5) / messages),
            .hosts = static_cast<std::size_t>(messages) / 2 - 1};
  std::vector<std::unique_ptr<bench::BareTrip>> processes;
  while (processes.size() < overlay.size()) {
    processes.push_back(std::make_unique<bench::BareTrip>(
        bench::BareTrip::Sizes{.request = bare.size, .reply = bare.size}));
  }
  auto add = [](std::vector<double>& to, const std::vector<double>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  Finds finds;
  std::size_t slice = std::max<std::size_t>(options.finds / 20, 1);
  for (std::size_t i = 0; i < options.finds; ++i) {
    if (i % slice == 0) {
      add(bare.trips, processes.front()->measure(200));
      add(bare.finds, bench::bare_finds(processes, bare.hosts, 100));
      finds.cpu -= overlay.cpu_seconds();
    }
    // Askers and questions in every combination.
    find(overlay, i % overlay.size(), asked[(i / overlay.size()) % asked.size()], finds);
    if ((i + 1) % slice == 0 || i + 1 == options.finds) finds.cpu += overlay.cpu_seconds();
  }
  auto memory = overlay.memory();
  fmt::print("memory    {:.0f} MiB a node (median), {:.0f} the largest\n", percentile(memory, 0.5),
             percentile(memory, 1));
  return report(finds, bare) ? 0 : 1;
}
