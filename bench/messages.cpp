// SPDX-License-Identifier: MIT
// What does a delivered message cost? Real nodes, one process each, on loopback.
// usage: bench_messages [--messages 400] [--nodes 16] [--users 1000] [--askers 64]
// 1. One message at a time between two nodes, turn about with round trips of 200 bytes over bare
//    TLS and with durable commits of a row of the same size on the same disk. A message's time is
//    the node's own, from the request at its API until the callee's host has it on disk and said
//    so; HTTP and its client are told apart. Goal: 3 round trips and one commit.
// 2. Messages per second, from many askers at once, and commits per message at both ends.
// 3. One message to everybody a query finds, on all nodes.
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

#include "base/json.h"
#include "bench/bare_trip.h"
#include "bench/harness.h"
#include "bench/overlay.h"
#include "node/io/sqlite_store.h"

using namespace beckon;
using bench::give_up;
using bench::Overlay;
using bench::percentile;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
  std::size_t messages = 400;
  std::size_t nodes = 16;
  std::size_t users = 1000;
  std::size_t askers = 64;
};

constexpr std::size_t pairs = 64;  // a host takes 200 of one sender to one user at once, then 5/s
constexpr std::size_t sender = 0;  // the nodes of parts 1 and 2
constexpr std::size_t receiver = 1;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// People on a node, each of them published.
void settle(Overlay& overlay, std::size_t node, const std::string& hobby, std::size_t count) {
  for (std::size_t done = 0; done < count;) {
    std::string lines;
    std::size_t batch = std::min<std::size_t>(count - done, 500);
    for (std::size_t i = 0; i < batch; ++i)
      lines +=
          Json{{"name", fmt::format("{} {}", hobby, done + i)}, {"hobby", hobby}}.dump() + "\n";
    auto made = overlay.ask(node, {.method = "POST",
                                   .path = "/v1/profile/import",
                                   .query = {{"publish", "1"}},
                                   .body = lines,
                                   .timeout = std::chrono::minutes(5)});
    if (made["published"] != batch) give_up("not everybody could be published");
    done += batch;
  }
}

Json find(Overlay& overlay, std::size_t node, const std::string& hobby, std::size_t count) {
  auto start = Clock::now();
  while (ms_since(start) < 60'000) {
    auto found =
        overlay.ask(node, {.path = "/v1/find",
                           .query = {{"hobby", hobby}, {"_limit", "10000"}, {"_timeout", "30s"}},
                           .timeout = std::chrono::minutes(1)});
    if (found["people"].size() == count) return found["people"];
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  give_up("not everybody is found who was published");
}

Json callee(const Json& person) {
  Json out{{"name", person["name"]}};
  for (const char* field : {"key", "message_key", "host", "address"})
    out[field] = person["contact"][field];
  return out;
}

/// People of the first node who may write to people of the second, each to one.
class Pairs {
 public:
  explicit Pairs(Overlay& overlay) : overlay_(overlay) {
    settle(overlay, sender, "writing", pairs);
    settle(overlay, receiver, "reading", pairs);
    writers_ = find(overlay, receiver, "writing", pairs);
    readers_ = find(overlay, sender, "reading", pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
      Json contact = callee(writers_[i]);
      contact["standing"] = "accepted";
      overlay.ask(receiver, {.method = "PUT",
                             .path = "/v1/contacts/found",
                             .query = {{"_as", readers_[i]["id"].text()}},
                             .body = contact.dump()});
    }
    for (std::size_t i = 0; i < pairs; ++i) send(i);  // the first one also makes a contact
  }

  /// The node's own milliseconds until it was delivered.
  double send(std::size_t number) {
    std::size_t pair = number % pairs;
    Json body{{"to", Json::array({callee(readers_[pair])})},
              {"text", fmt::format("message {}", number)}};
    auto reply = overlay_.ask(sender, {.method = "POST",
                                       .path = "/v1/messages",
                                       .query = {{"_as", writers_[pair]["id"].text()}},
                                       .body = body.dump()});
    if (reply["delivered"] != 1) give_up("not delivered: " + reply.dump());
    return reply["elapsed_ms"];
  }

 private:
  Overlay& overlay_;
  Json writers_;
  Json readers_;
};

void line(const char* name, const std::vector<double>& ms) {
  fmt::print("  {:<34} p50 {:7.3f} ms   quartiles {:.3f} .. {:.3f}   p99 {:.3f}\n", name,
             percentile(ms, 0.5), percentile(ms, 0.25), percentile(ms, 0.75), percentile(ms, 0.99));
}

/// One row, synced, on the disk where the nodes have theirs.
class Disk {
 public:
  explicit Disk(const std::string& path) {
    auto opened = io::SqliteStore::open(path);
    if (!opened) give_up(opened.error().text);
    store_ = *std::move(opened);
  }
  double commit() {
    ByteWriter key;
    key.u64(++last_);
    auto start = Clock::now();
    auto done = store_->commit(
        {{.table = service::Table::inbox, .key = key.take(), .value = Bytes(200, 1)}});
    if (!done) give_up(done.error().text);
    return ms_since(start);
  }

 private:
  std::unique_ptr<io::SqliteStore> store_;
  std::uint64_t last_ = 0;
};

bool one_at_a_time(Overlay& overlay, Pairs& people, std::size_t messages) {
  constexpr std::size_t round = 20;
  Disk disk((overlay.folder() / "disk.db").string());
  std::vector<double> delivered, around, trips, commits;
  for (std::size_t number = 0; number < messages; number += round) {
    for (double us : bench::bare_round_trips(round * 2)) trips.push_back(us / 1000);
    for (std::size_t i = 0; i < round; ++i) {
      commits.push_back(disk.commit());
      auto start = Clock::now();
      delivered.push_back(people.send(number + i));
      around.push_back(ms_since(start) - delivered.back());
    }
  }
  fmt::print("One at a time, {} of each, turn about:\n", delivered.size());
  line("delivered message", delivered);
  line("HTTP and client around it", around);
  line("bare TLS round trip, 200 bytes", trips);
  line("durable commit of one row", commits);
  double allowed = 3 * percentile(trips, 0.5) + percentile(commits, 0.5);
  fmt::print("  3 round trips and a commit: {:.3f} ms\n", allowed);
  return bench::promise("a delivered message over 3 round trips and a commit (p50)",
                        percentile(delivered, 0.5) / allowed, "<=", 1);
}

double commits_of(Overlay& overlay, std::size_t node) {
  std::string metrics = overlay.text(node, {.path = "/metrics"});
  std::size_t at = metrics.rfind("store_commits_total ");  // behind its help
  if (at == std::string::npos) give_up("/metrics tells no store_commits_total");
  return std::strtod(metrics.c_str() + metrics.find(' ', at), nullptr);
}

void many_at_once(Overlay& overlay, Pairs& people, const Options& options) {
  double here = commits_of(overlay, sender), there = commits_of(overlay, receiver);
  std::atomic<std::size_t> next = 0;
  std::size_t whole = options.messages * 5;
  std::vector<std::vector<double>> times(options.askers);
  auto start = Clock::now();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < options.askers; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i; (i = next++) < whole;) times[t].push_back(people.send(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  double seconds = ms_since(start) / 1000;
  std::vector<double> all;
  for (const auto& part : times) all.insert(all.end(), part.begin(), part.end());
  auto count = static_cast<double>(whole);
  fmt::print(
      "{} at once: {:.0f} delivered messages/s; {:.2f} commits a message at the sender, "
      "{:.2f} at the receiver\n",
      options.askers, count / seconds, (commits_of(overlay, sender) - here) / count,
      (commits_of(overlay, receiver) - there) / count);
  line("delivered message", all);
}

bool group(Overlay& overlay, std::size_t users) {
  std::size_t share = users / overlay.size();
  std::vector<std::thread> threads;
  for (std::size_t node = 0; node < overlay.size(); ++node) {
    std::size_t count = share + (node < users % overlay.size() ? 1 : 0);
    threads.emplace_back([&, node, count] { settle(overlay, node, "gathering", count); });
  }
  for (std::thread& thread : threads) thread.join();
  find(overlay, sender, "gathering", users);
  auto start = Clock::now();
  find(overlay, sender, "gathering", users);
  double finding = ms_since(start);
  Json body{
      {"query", "hobby=gathering"}, {"all", true}, {"text", "to all of you"}, {"timeout", "10m"}};
  auto reply = overlay.ask(sender, {.method = "POST",
                                    .path = "/v1/messages",
                                    .body = body.dump(),
                                    .timeout = std::chrono::minutes(11)});
  auto ms = reply["elapsed_ms"].get<double>();
  auto delivered = reply["delivered"].get<std::size_t>();
  fmt::print(
      "One message to {} people on {} nodes: {:.2f} s with finding them (a find alone: {:.2f} "
      "s), {:.0f} delivered/s; {} delivered, {} kept, {} refused, {} unreachable\n",
      users, overlay.size(), ms / 1000, finding / 1000,
      static_cast<double>(delivered) / (ms / 1000), delivered, reply["kept"].dump(),
      reply["refused"].dump(), reply["unreachable"].dump());
  // Users who are hosted by the sender's own node are among them; the sender itself is not.
  return bench::promise("delivered of the group", static_cast<double>(delivered),
                        ">=", static_cast<double>(users));
}

Options read_options(int argc, char** argv) {
  Options out;
  std::map<std::string, std::size_t*> known{{"--messages", &out.messages},
                                            {"--nodes", &out.nodes},
                                            {"--users", &out.users},
                                            {"--askers", &out.askers}};
  for (int i = 1; i + 1 < argc; i += 2) {
    auto found = known.find(argv[i]);
    if (found == known.end()) give_up(fmt::format("no flag {}", argv[i]));
    *found->second = static_cast<std::size_t>(std::atoll(argv[i + 1]));
  }
  if (argc % 2 == 0 || out.messages == 0 || out.nodes < 2 || out.users == 0 || out.askers == 0)
    give_up("usage: bench_messages [--messages N] [--nodes N] [--users N] [--askers N]");
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = read_options(argc, argv);
  Overlay overlay(options.nodes);
  Pairs people(overlay);
  bool good = one_at_a_time(overlay, people, options.messages);
  many_at_once(overlay, people, options);
  return group(overlay, options.users) && good ? 0 : 1;
}
