// SPDX-License-Identifier: MIT
#include "chord/round_trips.h"

#include <algorithm>

namespace beckon::chord {

RoundTrips::RoundTrips(const Options& options)
    : first_(options.first_timeout),
      min_(options.rto_min),
      max_(options.rto_max),
      dead_after_(options.dead_after),
      entries_(options.tracked_peers) {}

Duration RoundTrips::rto(const Id& peer) const {
  const Entry* e = entries_.find(peer);
  if (e == nullptr) return first_;
  Duration base = e->measured ? std::clamp(e->srtt + 4 * e->rttvar, min_, max_) : first_;
  return std::min(max_, base * (1 << std::min(e->misses, 3)));  // Karn: back off until an answer
}

std::optional<Duration> RoundTrips::smoothed(const Id& peer) const {
  const Entry* e = entries_.find(peer);
  if (e == nullptr || !e->measured) return std::nullopt;
  return e->srtt;
}

bool RoundTrips::dead(const Id& peer) const {
  const Entry* e = entries_.find(peer);
  return e != nullptr && e->misses >= dead_after_;
}

bool RoundTrips::suspected(const Id& peer) const {
  const Entry* e = entries_.find(peer);
  return e != nullptr && e->misses > 0;
}

bool RoundTrips::heard_since(const Id& peer, Time moment) const {
  const Entry* e = entries_.find(peer);
  return e != nullptr && e->last_heard > moment;
}

void RoundTrips::heard(const Id& peer, Time now) {
  Entry& e = entries_.touch(peer);
  e.last_heard = now;
  e.misses = 0;
}

void RoundTrips::measured(const Id& peer, Duration round_trip, Time now) {
  heard(peer, now);
  Entry& e = entries_.touch(peer);
  if (!e.measured) {
    e.srtt = round_trip;
    e.rttvar = round_trip / 2;
    e.measured = true;
    return;
  }
  Duration error = round_trip > e.srtt ? round_trip - e.srtt : e.srtt - round_trip;
  e.rttvar = (3 * e.rttvar + error) / 4;
  e.srtt = (7 * e.srtt + round_trip) / 8;
}

void RoundTrips::missed(const Id& peer, Time sent, Time now) {
  Entry& e = entries_.touch(peer);
  if (e.misses > 0 && sent < e.last_miss) return;
  if (e.last_heard > sent) return;  // it lives; this one answer was lost
  ++e.misses;
  e.last_miss = now;
}

void RoundTrips::declare_dead(const Id& peer, Time now) {
  Entry& e = entries_.touch(peer);
  e.misses = std::max(e.misses, dead_after_);
  e.last_miss = now;
}

}  // namespace beckon::chord
