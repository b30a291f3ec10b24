// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "base/recent_map.h"
#include "base/token_bucket.h"
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
  std::array<double, kinds> per_second_;
  RecentMap<Id, std::array<TokenBucket, kinds>> buckets_;
};

}  // namespace beckon::chord
