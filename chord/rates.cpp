#include "chord/rates.h"

#include <algorithm>

namespace beckon::chord {

Rates::Rates(const Options& options)
    : per_second_{options.state_rate, options.notify_rate, options.next_rate, options.ping_rate},
      capacity_(options.tracked_peers) {}

bool Rates::allow(const Id& peer, Kind kind, Time now) {
  auto found = buckets_.find(peer);
  if (found == buckets_.end()) {
    if (buckets_.size() >= capacity_) {
      buckets_.erase(std::min_element(buckets_.begin(), buckets_.end(), [](auto& a, auto& b) {
        return a.second.filled < b.second.filled;
      }));
    }
    found = buckets_.emplace(peer, Buckets{.filled = now}).first;
    for (std::size_t i = 0; i < kinds; ++i) found->second.tokens[i] = 2 * per_second_[i];
  }
  Buckets& buckets = found->second;
  double seconds = std::chrono::duration<double>(now - buckets.filled).count();
  for (std::size_t i = 0; i < kinds; ++i) {
    buckets.tokens[i] = std::min(2 * per_second_[i], buckets.tokens[i] + seconds * per_second_[i]);
  }
  buckets.filled = now;
  if (buckets.tokens[kind] < 1) return false;
  buckets.tokens[kind] -= 1;
  return true;
}

}  // namespace beckon::chord
