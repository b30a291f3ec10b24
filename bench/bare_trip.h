// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace beckon::bench {

/// The yardstick of a machine's moment: requests and replies of given sizes over one bare TLS 1.3
/// connection on loopback, one at a time, to a process of its own that does nothing else. That
/// process ends with this object.
class BareTrip {
 public:
  struct Sizes {
    std::size_t request = 200;
    std::size_t reply = 200;
  };

  explicit BareTrip(Sizes sizes);
  ~BareTrip();
  BareTrip(const BareTrip&) = delete;
  BareTrip& operator=(const BareTrip&) = delete;

  /// Microseconds of each of `count` round trips, after a few that do not count.
  std::vector<double> measure(std::size_t count) const;
  const Sizes& sizes() const { return sizes_; }
  int port() const { return port_; }

 private:
  Sizes sizes_;
  pid_t server_{};
  int port_{};
};

/// The bones of a find: an exchange with one of these processes, then with `hosts` others at once,
/// all connected beforehand and taken in turn. Microseconds of each of `count` such rounds, after a
/// few that do not count.
std::vector<double> bare_finds(const std::vector<std::unique_ptr<BareTrip>>& processes,
                               std::size_t hosts, std::size_t count);

/// The same for messages of 200 bytes.
std::vector<double> bare_round_trips(std::size_t count);

}  // namespace beckon::bench
