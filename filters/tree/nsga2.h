// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "base/rng.h"

namespace beckon::filters {

/// Two costs of one candidate; fewer is better in both.
using Costs = std::array<double, 2>;
bool dominates(const Costs& a, const Costs& b);  // no worse in both and better in one

/// Indices of the candidates that no other dominates, by rising first cost; of equal ones the
/// first.
std::vector<std::size_t> pareto_front(std::span<const Costs> costs);

/// Whole numbers within bounds, and what they cost.
using Genome = std::vector<int>;
struct Gene {
  int low = 0;
  int high = 0;
};

/// NSGA-II (Deb and others, 2002): candidates are sorted into fronts, within a front those in thin
/// neighbourhoods count more, the better half of parents and children lives on. A genome is costed
/// once only. Same seed, same answer.
struct Nsga2Options {
  std::size_t population = 24;  // even
  std::size_t generations = 60;
  std::size_t patience = 15;  // stop after so many generations in which the front did not move
};

struct Candidate {
  Genome genome{};
  Costs costs{};
};

/// The front of everything that was costed on the way.
std::vector<Candidate> nsga2(std::span<const Gene> genes, const Nsga2Options& options, Rng rng,
                             const std::function<Costs(const Genome&)>& cost);

}  // namespace beckon::filters
