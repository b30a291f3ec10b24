// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "chord/peer_ref.h"

namespace beckon::chord {

/// Shortcuts: finger i is the owner of self + 2^i. Only exponents whose start lies behind the first
/// successor are kept. Nothing depends on them but the length of lookups.
class FingerTable {
 public:
  explicit FingerTable(Id self) : self_(self) {}

  Id start(int exponent) const { return self_.plus_power(exponent); }
  /// The next exponent to refresh, walking down from 159 to where the first successor covers all.
  int next_exponent(const Id& first_successor);
  void set(int exponent, const PeerRef& owner);
  /// Who owns that arc is the finger of all exponents in it that are kept, and of the one asked
  /// for.
  void learn(const Arc& owned, const PeerRef& owner, int asked);
  void drop(const Id& peer);
  void clear() { fingers_.clear(); }

  const std::map<int, PeerRef>& all() const { return fingers_; }
  std::vector<PeerRef> distinct() const;  // clockwise from self

  friend bool operator==(const FingerTable&, const FingerTable&) = default;

 private:
  int lowest_exponent(const Id& first_successor) const;

  Id self_;
  int next_ = 159;
  std::map<int, PeerRef> fingers_{};
};

/// Of these peers the ones strictly between `after` and `key`, nearest to the key first.
std::vector<PeerRef> closest_before(const Id& after, const Id& key, std::vector<PeerRef> peers,
                                    std::size_t count);

}  // namespace beckon::chord
