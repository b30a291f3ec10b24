// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "filters/design/go_cost.h"

namespace beckon::filters {

/// A layout under search. `positions` and `cost` always belong to the other fields.
struct Candidate {
  std::vector<Shape> ranges{};
  std::vector<int> text_k{};
  double positions = 0;  // of all attributes together
  double cost = 1;
};

/// Moves shared by the optimisers; each keeps what lowers the cost and says whether anything did.
class Mover {
 public:
  explicit Mover(const GoCost& cost) : cost_(cost) {}

  void price(Candidate& c) const;
  bool try_shape(Candidate& c, std::size_t i, const Shape& shape) const;
  bool gallop(Candidate& c, std::size_t i,
              int direction) const;                    // doubling steps, then single ones
  bool descend(Candidate& c, std::size_t held) const;  // all but `held`, to a local optimum
  bool descend(Candidate& c) const { return descend(c, cost_.size()); }
  bool pair_moves(Candidate& c) const;   // one attribute gains a step, another gives one
  bool own_k_moves(Candidate& c) const;  // every k on its own by one, s following

 private:
  bool keep_if_better(Candidate& c, double positions) const;
  bool try_both(Candidate& c, std::size_t i, const Shape& up, std::size_t j,
                const Shape& down) const;
  bool try_text_k(Candidate& c, std::size_t i, int k) const;

  const GoCost& cost_;
};

/// The same k for all: shapes are carried over, s kept inside k.
Candidate at_k(const GoCost& cost, const Candidate& c, int k);
Candidate uniform_k(const GoCost& cost, std::vector<Shape> ranges, int k);
Candidate candidate_of(const GoCost& cost, const Design& design);
Design to_design(const GoCost& cost, const Candidate& c);

}  // namespace beckon::filters
