#include "node/io/accept_gate.h"

#include <algorithm>

namespace beckon::io {

namespace {

std::string prefix_of(const uv::Endpoint& from) {
  if (from.storage.ss_family != AF_INET6) return from.host();
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&from.storage);
  return std::string(reinterpret_cast<const char*>(v6->sin6_addr.s6_addr), 8);
}

}  // namespace

std::size_t AcceptGate::limit_of(const uv::Endpoint& from) const {
  std::string host = from.host();
  bool loopback = host == "::1" || host.starts_with("127.");
  return loopback ? options_.loopback : options_.per_address;
}

bool AcceptGate::open(Time now) {
  double seconds = std::chrono::duration<double>(now - refilled_).count();
  tokens_ = std::min(options_.burst, tokens_ + seconds * options_.per_second);
  refilled_ = now;
  return tokens_ >= 1 && total_ < options_.total;
}

bool AcceptGate::enter(const uv::Endpoint& from) {
  tokens_ -= 1;
  std::size_t& count = inside_[prefix_of(from)];
  if (count >= limit_of(from)) return false;
  ++count;
  ++total_;
  return true;
}

void AcceptGate::leave(const uv::Endpoint& from) {
  auto found = inside_.find(prefix_of(from));
  ENSURE(found != inside_.end() && found->second > 0);
  --total_;
  if (--found->second == 0) inside_.erase(found);
}

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
