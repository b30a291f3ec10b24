#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "node/io/uv.h"

namespace beckon::io {

/// Who may begin a handshake with us: so many at once in all, so many per address, so many per
/// second. IPv6 addresses count by their /64, the least a customer gets. Handshakes cost us a
/// signature each, and whoever begins one has proved nothing yet.
class AcceptGate {
 public:
  struct Options {
    std::size_t total = 256;
    std::size_t per_address = 8;
    std::size_t loopback = 128;
    double per_second = 400;
    double burst = 256;
  };
  explicit AcceptGate(Options options) : options_(options), tokens_(options.burst) {}

  bool open(Time now);                   // false: do not accept for now
  bool enter(const uv::Endpoint& from);  // after open(); takes a token; false: too many of its kind
  void leave(const uv::Endpoint& from);  // authenticated, or gone
  std::size_t inside() const { return total_; }

 private:
  std::size_t limit_of(const uv::Endpoint& from) const;
  Options options_;
  double tokens_;
  Time refilled_{};
  std::size_t total_ = 0;
  std::map<std::string, std::size_t> inside_{};
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
