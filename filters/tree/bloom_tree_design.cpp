// SPDX-License-Identifier: MIT
#include "filters/tree/bloom_tree_design.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace beckon::filters {

namespace {

// A genome: which root length, the root's k, then bits and k of each lower level.
std::vector<Gene> genes_of(const TreeSearch& search) {
  std::vector<Gene> out{{0, static_cast<int>(search.root_bits.size()) - 1}, search.root_k};
  for (std::size_t i = 1; i < search.depth; ++i) {
    out.push_back(search.lower_bits);
    out.push_back(search.lower_k);
  }
  return out;
}

constexpr Costs nowhere{HUGE_VAL, HUGE_VAL};

struct Plan {
  double root_bits = 1;
  std::vector<TreeLevel> levels{};
};

Plan plan_of(const TreeSearch& search, const Genome& genome) {
  Plan out{.root_bits = search.root_bits[static_cast<std::size_t>(genome[0])]};
  out.levels.push_back({.bits = 0, .k = static_cast<std::uint32_t>(genome[1])});
  for (std::size_t i = 2; i < genome.size(); i += 2) {
    out.levels.push_back({.bits = static_cast<std::uint32_t>(genome[i]),
                          .k = static_cast<std::uint32_t>(genome[i + 1])});
  }
  return out;
}

double stored_bits(const Plan& plan) {
  double level = plan.root_bits;
  double out = level;
  for (std::size_t i = 1; i < plan.levels.size(); ++i) out += level *= plan.levels[i].bits;
  return out;
}

/// Measures each design once and remembers it, for the cost and for the answer.
class Workshop {
 public:
  explicit Workshop(const TreeSearch& search) : search_(search) {}

  Costs cost(const Genome& genome) {
    Plan plan = plan_of(search_, genome);
    if (stored_bits(plan) > search_.most_stored_bits) return nowhere;
    const TreeDesign& design =
        made_
            .try_emplace(genome,
                         measure_design(plan.root_bits, plan.levels, search_.sample, search_.seed))
            .first->second;
    if (search_.progress) search_.progress(made_.size());
    bool paper = search_.aim == TreeAim::geometric;
    double rate = paper ? design.rates.geometric : design.rates.arithmetic;
    if (rate < search_.least_rate || rate > search_.most_rate) return nowhere;
    // Logarithms, so that room along the front is counted in factors.
    return {std::log(rate), paper ? design.whole_bits : design.sent_bits};
  }
  const TreeDesign* find(const Genome& genome) const {
    auto found = made_.find(genome);
    return found == made_.end() ? nullptr : &found->second;
  }

 private:
  const TreeSearch& search_;
  std::map<Genome, TreeDesign> made_;
};

std::vector<TreeDesign> designs_of(const Workshop& workshop, std::span<const Genome> front) {
  std::vector<TreeDesign> out;
  for (const Genome& genome : front) {
    const TreeDesign* design = workshop.find(genome);
    if (design) out.push_back(*design);
  }
  return out;
}

/// The next genome in order; false after the last.
bool next_genome(Genome& genome, std::span<const Gene> genes) {
  for (std::size_t i = genome.size(); i-- > 0;) {
    if (genome[i]++ < genes[i].high) return true;
    genome[i] = genes[i].low;
  }
  return false;
}

}  // namespace

BloomTreeShape TreeDesign::shape(std::uint64_t elements, std::uint64_t salt) const {
  BloomTreeShape out{.levels = levels, .salt = salt};
  double bits = std::round(root_bits * static_cast<double>(elements));
  out.levels[0].bits = static_cast<std::uint32_t>(std::clamp(bits, 8.0, 4e9));
  return out;
}

TreeDesign measure_design(double root_bits, std::vector<TreeLevel> levels, std::uint32_t sample,
                          std::uint64_t seed) {
  TreeDesign out{.root_bits = root_bits, .levels = std::move(levels)};
  auto tree = BloomTree::make(out.shape(sample));
  ENSURE(tree);
  Rng rng(seed);
  for (std::uint32_t i = 0; i < sample; ++i) tree->insert({.low = rng.next(), .high = rng.next()});
  double n = sample;
  out.rates = rates(*tree);
  out.sent_bits = entropy_bits(*tree, SentLevels::filters_of_ones) / n;
  out.whole_bits = entropy_bits(*tree, SentLevels::whole) / n;
  out.stored_bits = static_cast<double>(tree->bits().size()) / n;
  return out;
}

std::vector<TreeDesign> search_all(const TreeSearch& search) {
  std::vector<Gene> genes = genes_of(search);
  Workshop workshop(search);
  Genome genome;
  for (const Gene& gene : genes) genome.push_back(gene.low);
  std::vector<Genome> genomes;
  std::vector<Costs> costs;
  do {
    genomes.push_back(genome);
    costs.push_back(workshop.cost(genome));
  } while (next_genome(genome, genes));
  std::vector<Genome> front;
  for (std::size_t i : pareto_front(costs)) front.push_back(genomes[i]);
  return designs_of(workshop, front);
}

std::vector<TreeDesign> search_evolving(const TreeSearch& search) {
  std::vector<Gene> genes = genes_of(search);
  Workshop workshop(search);
  std::vector<Genome> front;
  for (const Candidate& candidate : nsga2(genes, search.evolution, Rng(search.seed),
                                          [&](const Genome& g) { return workshop.cost(g); })) {
    front.push_back(candidate.genome);
  }
  return designs_of(workshop, front);
}

std::vector<TreeDesign> search_designs(const TreeSearch& search) {
  return search.depth <= 2 ? search_all(search) : search_evolving(search);
}

}  // namespace beckon::filters
