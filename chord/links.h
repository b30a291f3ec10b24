// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <map>
#include <set>
#include <string>

#include "base/time.h"
#include "chord/id.h"
#include "chord/options.h"

namespace beckon::chord {

/// The links of this node, the life of the process behind each, and the dials under way. An epoch
/// guards against two processes with one key at a time: an earlier life is refused while the later
/// one is linked and for `epoch_memory` longer. Then it is welcome again, as nobody is left to be
/// confused with. Remembers `tracked_peers` lives; one without a link is forgotten first.
class Links {
 public:
  explicit Links(const Options& options)
      : memory_(options.epoch_memory), capacity_(options.tracked_peers) {}

  void up(const Id& peer, std::uint64_t epoch, Time now);
  bool down(const Id& peer, Time now);  // false if there was none
  /// Whether to dial now; false when that is under way already, or as many others are.
  bool dial(const std::string& address,
            std::size_t limit = std::numeric_limits<std::size_t>::max());
  bool dial_ended(const std::string& address) { return dialling_.erase(address) > 0; }

  bool contains(const Id& peer) const { return links_.contains(peer); }
  const std::map<Id, std::uint64_t>& all() const { return links_; }  // with the epoch of each
  bool refuses(const Id& peer, std::uint64_t epoch, Time now) const;
  bool is_later_life(const Id& peer, std::uint64_t epoch) const;  // than the last one seen

  friend bool operator==(const Links&, const Links&) = default;

 private:
  struct Life {
    std::uint64_t epoch{};  // the highest seen
    Time linked{};          // when a link with it last began or ended
    friend bool operator==(const Life&, const Life&) = default;
  };

  Duration memory_;
  std::size_t capacity_;
  std::map<Id, std::uint64_t> links_{};
  std::map<Id, Life> lives_{};
  std::set<std::string> dialling_{};
};

}  // namespace beckon::chord
