// SPDX-License-Identifier: MIT
#include "node/io/accept_gate.h"

#include <algorithm>

namespace beckon::io {

namespace {

std::string prefix_of(const uv::Endpoint& from) {
  if (from.storage.ss_family != AF_INET6) return from.host();
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&from.storage);
  return std::string(reinterpret_cast<const char*>(v6->sin6_addr.s6_addr), 8);
}

bool is_loopback(const uv::Endpoint& from) {
  std::string host = from.host();
  return host == "::1" || host.starts_with("127.");
}

}  // namespace

bool Places::free_for(const uv::Endpoint& from) const {
  auto found = by_address_.find(prefix_of(from));
  std::size_t taken = found == by_address_.end() ? 0 : found->second;
  return !full() && taken < (is_loopback(from) ? limits_.loopback : limits_.per_address);
}

void Places::take(const uv::Endpoint& from) {
  ++taken_;
  ++by_address_[prefix_of(from)];
}

void Places::give_back(const uv::Endpoint& from) {
  auto found = by_address_.find(prefix_of(from));
  ENSURE(found != by_address_.end() && found->second > 0);
  --taken_;
  if (--found->second == 0) by_address_.erase(found);
}

AcceptGate::AcceptGate(const Options& options)
    : options_(options),
      all_(options.all),
      unproven_(options.unproven),
      tokens_(options.handshakes, {}) {}

bool AcceptGate::open(Time now) {
  return tokens_.fill(options_.handshakes, now) >= 1 && !all_.full() && !unproven_.full();
}

Result<void> AcceptGate::enter(const uv::Endpoint& from) {
  tokens_.take(1);
  if (!all_.free_for(from)) return Error{ErrorCode::refused, "too many connections from there"};
  if (!unproven_.free_for(from)) {
    return Error{ErrorCode::refused, "too many connections that have not said who they are"};
  }
  all_.take(from);
  unproven_.take(from);
  return {};
}

void AcceptGate::prove(const uv::Endpoint& from) { unproven_.give_back(from); }

void AcceptGate::leave(const uv::Endpoint& from) { all_.give_back(from); }

bool Complaints::news(const std::string& address, Time now) {
  if (auto found = told_.find(address); found != told_.end()) {
    if (now - found->second < again_) return false;
    found->second = now;
    return true;
  }
  if (told_.size() >= max_addresses_) {
    std::erase_if(told_, [&](const auto& entry) { return now - entry.second >= again_; });
  }
  if (told_.size() >= max_addresses_) return false;
  told_.emplace(address, now);
  return true;
}

}  // namespace beckon::io
