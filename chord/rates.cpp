// SPDX-License-Identifier: MIT
#include "chord/rates.h"

namespace beckon::chord {

Rates::Rates(const Options& options)
    : per_second_{options.state_rate, options.notify_rate, options.next_rate, options.ping_rate},
      buckets_(options.tracked_peers) {}

bool Rates::allow(const Id& peer, Kind kind, Time now) {
  bool known = buckets_.contains(peer);
  auto& buckets = buckets_.touch(peer);
  for (std::size_t i = 0; i < kinds; ++i) {
    TokenBucket::Rate rate{.per_second = per_second_[i], .burst = 2 * per_second_[i]};
    if (!known) buckets[i] = TokenBucket(rate, now);
    buckets[i].fill(rate, now);
  }
  return buckets[kind].take(1);
}

}  // namespace beckon::chord
