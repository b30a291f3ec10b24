// SPDX-License-Identifier: MIT
#pragma once

#include "base/recent_map.h"
#include "base/token_bucket.h"
#include "chord/id.h"

namespace beckon::service {

/// A token bucket per peer. Remembers a bounded number of peers: when full, the one that asked
/// longest ago is forgotten, which gives it back a full bucket and no more.
class RateLimit {
 public:
  struct Options {
    double per_second{};
    double burst{};
    std::size_t peers{};
  };
  explicit RateLimit(Options options)
      : rate_{options.per_second, options.burst}, buckets_(options.peers) {}

  bool take(const chord::Id& peer, double amount, Time now) {
    return filled(peer, now).take(amount);
  }
  /// Takes what may not be there: the peer is in debt, but never by more than a full bucket.
  void charge(const chord::Id& peer, double amount, Time now) {
    filled(peer, now).charge(rate_, amount);
  }
  std::size_t peers() const { return buckets_.size(); }

 private:
  TokenBucket& filled(const chord::Id& peer, Time now) {
    bool known = buckets_.contains(peer);
    TokenBucket& bucket = buckets_.touch(peer);
    if (!known) bucket = TokenBucket(rate_, now);
    bucket.fill(rate_, now);
    return bucket;
  }

  TokenBucket::Rate rate_;
  RecentMap<chord::Id, TokenBucket> buckets_;
};

}  // namespace beckon::service
