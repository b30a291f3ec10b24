// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "base/token_bucket.h"
#include "node/io/uv.h"

namespace beckon::io {

/// Counts the places taken, in all and per address. IPv6 addresses count by their /64, the least a
/// customer gets.
class Places {
 public:
  struct Limits {
    std::size_t total{};
    std::size_t per_address{};
    std::size_t loopback{};  // instead, for this machine's own
  };
  explicit Places(Limits limits) : limits_(limits) {}

  bool full() const { return taken_ >= limits_.total; }
  bool free_for(const uv::Endpoint& from) const;
  void take(const uv::Endpoint& from);
  void give_back(const uv::Endpoint& from);
  std::size_t taken() const { return taken_; }

 private:
  Limits limits_;
  std::size_t taken_ = 0;
  std::map<std::string, std::size_t> by_address_{};
};

/// Who may connect to us: so many in all and per address, fewer while they have not proved who they
/// are, so many per second. A handshake costs us a signature; and identities cost nothing in an
/// open overlay, so who has proved one still comes from somewhere.
class AcceptGate {
 public:
  struct Options {
    Places::Limits all{};
    Places::Limits unproven{};
    TokenBucket::Rate handshakes{};
  };
  explicit AcceptGate(const Options& options);

  bool open(Time now);                           // false: do not accept for now
  Result<void> enter(const uv::Endpoint& from);  // after open(); takes a token
  void prove(const uv::Endpoint& from);          // no longer unproven
  void leave(const uv::Endpoint& from);          // gone, after prove()
  std::size_t unproven() const { return unproven_.taken(); }

 private:
  Options options_;
  Places all_;
  Places unproven_;
  TokenBucket tokens_;
};

/// Decides whether a complaint about an address is news: once in `again` each, and of a bounded
/// number of addresses, so that a crowd cannot fill the log.
class Complaints {
 public:
  explicit Complaints(Duration again, std::size_t max_addresses = 256)
      : again_(again), max_addresses_(max_addresses) {}
  bool news(const std::string& address, Time now);

 private:
  Duration again_;
  std::size_t max_addresses_;
  std::map<std::string, Time> told_{};
};

}  // namespace beckon::io
