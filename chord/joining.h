// SPDX-License-Identifier: MIT
#pragma once

#include "base/recent_map.h"
#include "base/rng.h"
#include "base/time.h"
#include "chord/id.h"
#include "chord/message.h"
#include "chord/options.h"

namespace beckon::chord {

/// The tries of a node that joins: one soon after another at first, then less and less often. A
/// node that was a member in an earlier life and hears only from others who join too begins the
/// ring anew, those with smaller ids first. They may never do it: newcomers do not, liars need
/// not. Two who do it are joined again by probes. Notes at most `known_peers` others.
class Joining {
 public:
  explicit Joining(const Options& options)
      : options_(options), wait_(options.join_retry_min), joining_too_(options.known_peers) {}

  void begin(bool was_member, Time now);
  void end() { next_ = Time::max(); }
  void heard(const Id& peer, Mode mode, Time now);  // the mode of a peer that answered
  void tried(Time now, Rng& rng);                   // the next try waits longer
  void try_soon(Time now, Rng& rng);                // the last one nearly succeeded

  bool must_found_again(const Id& self, Time now) const;
  Time next() const { return next_; }

  friend bool operator==(const Joining&, const Joining&) = default;

 private:
  Options options_;
  Duration wait_;
  Time next_ = Time::max();
  Time since_{};  // the beginning, or when we last heard from a member
  bool was_member_ = false;
  RecentMap<Id, Time> joining_too_;  // when they last said so
};

}  // namespace beckon::chord
