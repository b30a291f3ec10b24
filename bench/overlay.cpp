#include "bench/overlay.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

namespace beckon::bench {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

int run(const std::string& home, const std::string& words) {
  return std::system(
      fmt::format("{} --home {} {} >/dev/null 2>&1", BECKON_PROGRAM, home, words).c_str());
}

}  // namespace

void give_up(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);
}

double percentile(std::vector<double> samples, double share) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))];
}

Overlay::Overlay(std::size_t count) {
  std::string name = (std::filesystem::temp_directory_path() / "beckon-bench-XXXXXX").string();
  folder_ = ::mkdtemp(name.data());
  std::string first;
  for (std::size_t i = 0; i < count; ++i) {
    std::string home = (folder_ / fmt::format("n{}", i)).string();
    std::string join = first.empty() ? "" : " --join " + first;
    if (run(home, "up -q --listen 127.0.0.1:0" + join) != 0) give_up("a node does not come up");
    clients_.push_back(std::make_unique<cli::Client>(home + "/api.sock"));
    homes_.push_back(home);
    if (first.empty()) first = ask(0, {.path = "/v1/status"})["node"]["listen"];
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
  auto json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) give_up(call.path + ": " + body);
  return json;
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
