// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "filters/design/go_candidate.h"

namespace beckon::filters {

/// The cost of one-attribute changes to a layout with a common k. With q fixed every attribute is
/// a + b*S_s(q) + c*q^k, S_s the series of q^s; the sums of a and c and of b per s are kept, so a
/// question costs one exponential instead of a pass over all attributes. Where the guards of the
/// model bite or windows are asked, it answers through GoCost.
class CommonKCost {
 public:
  CommonKCost(const GoCost& cost, const Candidate& start);

  /// Total if attribute i had this shape (same k), and how the positions would change.
  double with(std::size_t i, const Shape& next, double& change);
  void set(std::size_t i, const Shape& next);
  const Candidate& now() const { return now_; }

 private:
  struct Term {
    double constant = 0, series = 0, far = 0;
    bool closed = true;  // the closed form holds
  };
  Term term(std::size_t i, const Shape& shape) const;
  void add(const Term& term, int s, double sign);
  double series(int s, double q, double far) const;
  double evaluate(double q, std::size_t i, const Term& old, const Shape& next, const Term& term);

  const GoCost& cost_;
  Candidate now_;
  int k_ = 1;
  std::vector<Term> terms_;
  Term sum_;
  std::array<double, design_limits::max_k + 1> by_s_{};  // sum of `series` per s
  std::array<int, design_limits::max_k + 1> users_{};    // attributes with this s
  std::uint64_t used_ = 0;                               // bit s-1: some attribute has this s
  int open_ = 0;                                         // attributes outside the closed form
};

}  // namespace beckon::filters
