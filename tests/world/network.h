// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <vector>

#include "base/rng.h"
#include "base/time.h"

namespace beckon::sim {

using HostNumber = std::size_t;

/// How the wires behave just now. Plain settings that faults change and healing resets.
struct Weather {
  Duration delay_min = std::chrono::milliseconds(1);
  Duration delay_max = std::chrono::milliseconds(80);
  double heavy_tail = 0;  // share of frames that take up to 100 times as long
  double loss = 0;
  double duplicate = 0;
  double reset = 0;      // chance per frame that its connection breaks instead
  bool reorder = false;  // even within one connection
};

/// Which frames pass between which hosts, and how long they take. Knows hosts by number only.
class Network {
 public:
  Network(Weather weather, Rng rng) : weather_(weather), calm_(weather), rng_(rng) {}

  Weather& weather() { return weather_; }
  const Weather& weather() const { return weather_; }
  Duration delay(HostNumber from, HostNumber to);
  bool lost() { return weather_.loss > 0 && rng_.chance(weather_.loss); }
  bool duplicated() { return weather_.duplicate > 0 && rng_.chance(weather_.duplicate); }
  bool reset() { return weather_.reset > 0 && rng_.chance(weather_.reset); }

  bool passes(HostNumber from, HostNumber to) const;
  void split(std::vector<std::set<HostNumber>> groups) { groups_ = std::move(groups); }
  void cut_one_way(HostNumber from, HostNumber to) { cuts_.insert({from, to}); }
  void clog(HostNumber host) { clogged_.insert(host); }
  void unclog(HostNumber host) { clogged_.erase(host); }
  void slow(HostNumber host, Duration extra) { slow_[host] = extra; }
  void heal_cuts();
  void heal();  // everything as it was in the beginning
  bool whole() const { return groups_.empty() && cuts_.empty() && clogged_.empty(); }

 private:
  std::size_t group_of(HostNumber host) const;

  Weather weather_;
  Weather calm_;
  Rng rng_;
  std::vector<std::set<HostNumber>> groups_{};
  std::set<std::pair<HostNumber, HostNumber>> cuts_{};
  std::set<HostNumber> clogged_{};
  std::map<HostNumber, Duration> slow_{};
};

}  // namespace beckon::sim
