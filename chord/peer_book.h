// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/time.h"
#include "chord/options.h"
#include "chord/peer_ref.h"

namespace beckon::chord {

/// Peers worth remembering beyond the ring pointers: `known` completed a handshake at some time,
/// `passive` were neighbours or fingers and fell silent. They are how two halves of a parted ring
/// find each other again, so nothing enters that was merely hinted at. Both are bounded; known
/// drops first who never answered a request of ours, so that strangers who call on us crowd out
/// only each other, then who answered longest ago; passive the oldest. Passive ones are retried at
/// doubling intervals and forgotten after a week.
class PeerBook {
 public:
  explicit PeerBook(const Options& options);

  void add_known(const PeerRef& peer, Time now);
  void add_passive(const PeerRef& peer, Time now);
  void answered(const Id& peer) { passive_.erase(peer); }
  void answered_us(const Id& peer, Time now);  // any request of ours
  void failed(const PeerRef& peer, Time now);  // a retry of a passive peer found silence
  void set_seeds(std::vector<std::string> seeds) { seeds_ = std::move(seeds); }

  /// One peer to probe through: half of the time a passive one that is due, else any known.
  std::optional<PeerRef> pick(Rng& rng, Time now);
  std::vector<PeerRef> pick_several(Rng& rng, std::size_t count) const;
  std::optional<std::string> pick_seed(Rng& rng) const;

  const std::vector<std::string>& seeds() const { return seeds_; }
  std::vector<PeerRef> known() const;
  std::vector<PeerRef> passive() const;

  friend bool operator==(const PeerBook&, const PeerBook&) = default;

 private:
  struct Known {
    PeerRef peer{};
    Time answered = Time::min();
    Time met{};
    friend bool operator==(const Known&, const Known&) = default;
  };
  struct Passive {
    PeerRef peer{};
    Time since{};
    Time next_try{};
    Duration wait{};
    friend bool operator==(const Passive&, const Passive&) = default;
  };

  std::size_t known_limit_, passive_limit_;
  Duration retry_min_, retry_max_, forget_;
  std::vector<std::string> seeds_{};
  std::map<Id, Known> known_{};
  std::map<Id, Passive> passive_{};
};

}  // namespace beckon::chord
