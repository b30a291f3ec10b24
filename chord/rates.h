#pragma once

#include <array>
#include <map>

#include "base/time.h"
#include "chord/id.h"
#include "chord/options.h"

namespace beckon::chord {

/// Token buckets, one per peer and kind of request: nobody can make us work without limit. Bursts
/// of two seconds' worth. Keeps the buckets of the `tracked_peers` seen last.
class Rates {
 public:
  enum Kind : std::size_t { state, notify, next, ping, kinds };

  explicit Rates(const Options& options);
  bool allow(const Id& peer, Kind kind, Time now);

  friend bool operator==(const Rates&, const Rates&) = default;

 private:
  struct Buckets {
    std::array<double, kinds> tokens{};
    Time filled{};
    friend bool operator==(const Buckets&, const Buckets&) = default;
  };
  std::array<double, kinds> per_second_;
  std::size_t capacity_;
  std::map<Id, Buckets> buckets_{};
};

}  // namespace beckon::chord
