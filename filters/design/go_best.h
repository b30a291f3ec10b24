// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>

#include "filters/design/go_candidate.h"

namespace beckon::filters {

/// The search behind Method::best. For each k near the one that half fills the filter, all
/// attributes are priced against one shared price of a position until price and fill agree, then
/// polished exactly by descent, pair moves, shifts of k and kicks out of local optima. The window
/// of k grows while the best k is near its border. Exact on the published families; no proof.
class BestSearch {
 public:
  struct KRange {
    int low = 1;
    int high = design_limits::max_k;
  };
  BestSearch(const GoCost& cost, KRange range) : cost_(cost), mover_(cost), range_(range) {}

  Candidate common_k();
  /// Every attribute its own k, starting from the rule k + ln(weight)/ln(1/q).
  Candidate own_k(const Candidate& common) const;

 private:
  const Candidate& polished(int k);
  Candidate priced(int k, double price) const;
  Shape cheapest(std::size_t i, int k, double price, const GoCost::Powers& powers) const;
  Shape cheapest_walk(std::size_t i, Shape start, double price, const GoCost::Powers& powers) const;
  double next_price(const Candidate& c, double q) const;
  void polish(Candidate& c) const;
  void kick(Candidate& c) const;
  void shift_k();
  int best_k() const;

  const GoCost& cost_;
  Mover mover_;
  KRange range_;
  std::map<int, Candidate> by_k_;
};

}  // namespace beckon::filters
