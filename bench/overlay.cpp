// SPDX-License-Identifier: MIT
#include "bench/overlay.h"

#include <fmt/core.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "base/json.h"

namespace beckon::bench {

namespace {

using Clock = std::chrono::steady_clock;

int run(const std::string& home, const std::string& words) {
  return std::system(
      fmt::format("{} --home {} {} >/dev/null 2>&1", BECKON_PROGRAM, home, words).c_str());
}

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The nodes that name this folder on their command lines.
std::vector<int> processes(const std::filesystem::path& folder) {
  std::vector<int> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    int id = std::atoi(entry.path().filename().c_str());
    std::string words = id > 0 ? content(entry.path() / "cmdline") : "";
    if (words.find(folder.string()) != std::string::npos) out.push_back(id);
  }
  return out;
}

/// User and system time of a process, from /proc/PID/stat behind the parenthesised name.
double cpu_of(int process) {
  std::string stat = content(fmt::format("/proc/{}/stat", process));
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string skipped;
  double user = 0;
  double system = 0;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::filesystem::path running{};  // what give_up must not leave behind

}  // namespace

void give_up(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  if (!running.empty()) {
    for (int process : processes(running)) ::kill(process, SIGKILL);
  }
  std::exit(1);
}

double percentile(std::vector<double> samples, double share) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))];
}

Overlay::Overlay(std::size_t count) {
  std::string name = (std::filesystem::temp_directory_path() / "beckon-bench-XXXXXX").string();
  running = folder_ = ::mkdtemp(name.data());
  std::string first;
  for (std::size_t i = 0; i < count; ++i) {
    std::string home = (folder_ / fmt::format("n{}", i)).string();
    // Arcs differ, and the largest ones of 100 000 people do not fit the default.
    if (run(home, "config set store.size 4G") != 0) give_up("store.size cannot be set");
    std::string join = first.empty() ? "" : " --join " + first;
    if (run(home, "up -q --listen 127.0.0.1:0" + join) != 0) give_up("a node does not come up");
    clients_.push_back(std::make_unique<cli::Client>(home + "/api.sock"));
    homes_.push_back(home);
    if (first.empty()) first = ask(0, {.path = "/v1/status"})["node"]["listen"].text();
  }
  wait_for_ring();
}

Overlay::~Overlay() {
  for (const std::string& home : homes_) run(home, "down -q");
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Overlay::text(std::size_t node, const cli::Call& call) {
  auto reply = clients_[node]->send(call);
  if (!reply) give_up(reply.error().text);
  if (reply->status >= 300) give_up(call.path + ": " + reply->body);
  return reply->body;
}

Json Overlay::ask(std::size_t node, const cli::Call& call) {
  std::string body = text(node, call);
  auto json = json_or_null(body);
  if (json.is_null()) give_up(call.path + ": " + body);
  return json;
}

double Overlay::cpu_seconds() const {
  double sum = 0;
  for (int process : processes(folder_)) sum += cpu_of(process);
  return sum;
}

std::vector<double> Overlay::memory() const {
  std::vector<double> out;
  for (int process : processes(folder_)) {
    std::istringstream fields(content(fmt::format("/proc/{}/statm", process)));
    double all = 0;
    double resident = 0;
    fields >> all >> resident;
    out.push_back(resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20));
  }
  return out;
}

void Overlay::wait_for_ring() {
  auto start = Clock::now();
  for (std::size_t i = 0; i < size();) {
    auto ring = ask(i, {.path = "/v1/net/ring"});
    if (ring["successors"].size() == std::min<std::size_t>(size() - 1, 16)) {
      ++i;
      continue;
    }
    if (Clock::now() - start > std::chrono::minutes(2)) give_up("the ring does not close");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace beckon::bench
