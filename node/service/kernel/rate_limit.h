#pragma once

#include <algorithm>
#include <map>

#include "base/time.h"
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
  explicit RateLimit(Options options) : options_(options) {}

  bool take(const chord::Id& peer, double amount, Time now) {
    Bucket& bucket = filled(peer, now);
    if (bucket.tokens < amount) return false;
    bucket.tokens -= amount;
    return true;
  }

  /// Takes what may not be there: the peer is in debt, but never by more than a full bucket.
  void charge(const chord::Id& peer, double amount, Time now) {
    Bucket& bucket = filled(peer, now);
    bucket.tokens = std::max(-options_.burst, bucket.tokens - amount);
  }

  std::size_t peers() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens{};
    Time at{};
  };

  Bucket& filled(const chord::Id& peer, Time now) {
    auto found = buckets_.find(peer);
    if (found == buckets_.end()) {
      if (buckets_.size() >= options_.peers) forget_oldest();
      found = buckets_.emplace(peer, Bucket{options_.burst, now}).first;
    }
    Bucket& bucket = found->second;
    double passed = std::chrono::duration<double>(now - bucket.at).count();
    bucket.tokens = std::min(options_.burst, bucket.tokens + passed * options_.per_second);
    bucket.at = now;
    return bucket;
  }

  void forget_oldest() {
    buckets_.erase(std::min_element(buckets_.begin(), buckets_.end(),
                                    [](auto& a, auto& b) { return a.second.at < b.second.at; }));
  }

  Options options_;
  std::map<chord::Id, Bucket> buckets_{};
};

}  // namespace beckon::service
