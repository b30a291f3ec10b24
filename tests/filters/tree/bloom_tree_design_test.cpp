// SPDX-License-Identifier: MIT
#include "filters/tree/bloom_tree_design.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "filters/exchange/set_summaries.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/bloom_tree_design");

namespace {

/// Fewest bits among designs with at most this arithmetic rate.
const TreeDesign& cheapest(const std::vector<TreeDesign>& front, double rate) {
  const TreeDesign* best = nullptr;
  for (const TreeDesign& design : front) {
    if (design.rates.arithmetic > rate) continue;
    if (!best || design.sent_bits < best->sent_bits) best = &design;
  }
  REQUIRE(best);
  return *best;
}

}  // namespace

TEST_CASE("the front holds exactly what nothing dominates") {
  Rng rng(1);
  std::vector<Costs> costs;
  for (int i = 0; i < 300; ++i) costs.push_back({rng.real(), rng.real()});
  std::vector<std::size_t> front = pareto_front(costs);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    bool beaten = std::any_of(costs.begin(), costs.end(),
                              [&](const Costs& other) { return dominates(other, costs[i]); });
    CHECK((std::find(front.begin(), front.end(), i) == front.end()) == beaten);
  }
}

TEST_CASE("NSGA-II finds a known front, and the same one for the same seed") {
  // x^2 and (x - 20)^2 with five genes that only add: the front is x in 0 .. 20, the rest zero.
  std::vector<Gene> genes{{-50, 50}, {0, 9}, {0, 9}, {0, 9}, {0, 9}};
  auto cost = [](const Genome& g) -> Costs {
    double x = g[0];
    double extra = g[1] + g[2] + g[3] + g[4];
    return {x * x + extra, (x - 20) * (x - 20) + extra};
  };
  auto front = nsga2(genes, {.population = 40, .generations = 100}, Rng(7), cost);
  int perfect = 0;
  for (const Candidate& c : front) {
    CHECK(c.costs == cost(c.genome));
    bool on_front = c.genome[0] >= 0 && c.genome[0] <= 20 && c.genome[1] + c.genome[2] == 0 &&
                    c.genome[3] + c.genome[4] == 0;
    perfect += on_front ? 1 : 0;
  }
  CHECK(perfect >= 18);
  auto again = nsga2(genes, {.population = 40, .generations = 100}, Rng(7), cost);
  REQUIRE(again.size() == front.size());
  for (std::size_t i = 0; i < front.size(); ++i) CHECK(again[i].genome == front[i].genome);
}

TEST_CASE(
    "Figures 9 and 10: the paper's aims at depth 2, and evolution comes close to everything") {
  TreeSearch search{.depth = 2, .aim = TreeAim::geometric, .sample = 1000};
  std::size_t measured = 0;
  search.progress = [&](std::size_t count) { measured = count; };
  std::vector<TreeDesign> all = search_all(search);
  CHECK(measured == 7 * 28);
  // Figure 9a: less than 4 bits an element for a geometric mean below 0.1; a plain filter takes 5.
  CHECK(std::any_of(all.begin(), all.end(), [](const TreeDesign& d) {
    return d.rates.geometric < 0.1 && d.whole_bits < 4;
  }));
  for (const TreeDesign& d : all) CHECK(d.whole_bits <= d.stored_bits);
  std::vector<TreeDesign> some = search_evolving(search);
  CHECK(measured < 7 * 28);
  CHECK(some.size() >= all.size() / 2);
  for (const TreeDesign& d : some) {  // no more than a tenth larger than the best at its rate
    double best = HUGE_VAL;
    for (const TreeDesign& other : all) {
      if (other.rates.geometric <= d.rates.geometric) best = std::min(best, other.whole_bits);
    }
    CHECK(d.whole_bits <= 1.1 * best + 0.05);
  }
}

TEST_CASE("tuned by arithmetic rate, a tree at 1 % is 5 % smaller than a plain filter, or 15 %") {
  TreeSearch search{.depth = 2,
                    .root_bits = {2, 3, 4, 6, 8},
                    .least_rate = 0.005,
                    .most_rate = 0.03,
                    .sample = 1000};
  const TreeDesign bounded = cheapest(search_designs(search), 0.012);
  CHECK(bounded.sent_bits < 0.95 * summary_sizes(bounded.rates.arithmetic).plain);
  search.depth = 3;
  search.root_k.low = 1;  // beyond the paper's bounds: the tree becomes a trie of hashes
  search.evolution.generations = 30;
  const TreeDesign free = cheapest(search_designs(search), 0.012);
  CHECK(free.sent_bits < 0.86 * summary_sizes(free.rates.arithmetic).plain);
  CHECK(free.sent_bits > summary_sizes(free.rates.arithmetic).floor);
}

TEST_CASE("a design measured on few elements holds for many") {
  std::vector<TreeLevel> levels{{0, 2}, {6, 1}};
  TreeDesign few = measure_design(3, levels, 2000, 1);
  TreeDesign many = measure_design(3, levels, 50'000, 2);
  CHECK(few.sent_bits == doctest::Approx(many.sent_bits).epsilon(0.02));
  CHECK(few.rates.arithmetic == doctest::Approx(many.rates.arithmetic).epsilon(0.08));
  CHECK(many.shape(1000).levels[0].bits == 3000);
}
