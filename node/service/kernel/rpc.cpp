// SPDX-License-Identifier: MIT
#include "node/service/kernel/rpc.h"

#include <utility>

namespace beckon::service {

namespace {

constexpr std::uint64_t service_numbers = ~(std::uint64_t{1} << 63);  // the top bit is the ring's

}  // namespace

Rpc::Rpc(Options options, std::uint64_t epoch)
    : options_(options), next_(((epoch << 32) & service_numbers) + 1) {}

std::optional<std::uint64_t> Rpc::open(const Id& peer, Time deadline, Done&& done, Time asked) {
  auto& numbers = by_peer_[peer];
  if (open_.size() >= options_.max_open || numbers.size() >= options_.max_open_per_peer) {
    if (numbers.empty()) by_peer_.erase(peer);
    return std::nullopt;
  }
  std::uint64_t number = next_++ & service_numbers;
  numbers.insert(number);
  deadlines_.emplace(deadline, number);
  open_.emplace(number, Pending{peer, asked, deadline, std::move(done)});
  return number;
}

Rpc::Done Rpc::take(std::map<std::uint64_t, Pending>::iterator at) {
  auto [number, pending] = std::move(*at);
  open_.erase(at);
  deadlines_.erase({pending.deadline, number});
  auto numbers = by_peer_.find(pending.peer);
  numbers->second.erase(number);
  if (numbers->second.empty()) by_peer_.erase(numbers);
  return std::move(pending.done);
}

std::optional<Rpc::Answered> Rpc::answered(const Id& peer, std::uint64_t number) {
  auto found = open_.find(number);
  if (found == open_.end() || found->second.peer != peer) return std::nullopt;
  Time asked = found->second.asked;
  return Answered{asked, take(found)};
}

std::vector<Rpc::Done> Rpc::failed(const Id& peer) {
  std::vector<Done> out;
  auto found = by_peer_.find(peer);
  if (found == by_peer_.end()) return out;
  for (std::uint64_t number : std::set(found->second)) out.push_back(take(open_.find(number)));
  return out;
}

std::vector<Rpc::Done> Rpc::expired(Time now) {
  std::vector<Done> out;
  while (next_deadline() <= now) out.push_back(take(open_.find(deadlines_.begin()->second)));
  return out;
}

Inbound::Verdict Inbound::accept(const Id& peer, std::uint64_t number) {
  std::set<std::uint64_t>& open = open_[peer];
  if (open.size() >= options_.max_open_per_peer) return Verdict::too_many;
  return open.insert(number).second ? Verdict::accepted : Verdict::repeated;
}

bool Inbound::answered(const Id& peer, std::uint64_t number) {
  auto found = open_.find(peer);
  if (found == open_.end() || found->second.erase(number) == 0) return false;
  if (found->second.empty()) open_.erase(found);
  return true;
}

void Inbound::gone(const Id& peer) { open_.erase(peer); }

std::size_t Inbound::size() const {
  std::size_t sum = 0;
  for (const auto& [peer, numbers] : open_) sum += numbers.size();
  return sum;
}

}  // namespace beckon::service
