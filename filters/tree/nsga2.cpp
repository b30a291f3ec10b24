// SPDX-License-Identifier: MIT
#include "filters/tree/nsga2.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace beckon::filters {

namespace {

/// A candidate's standing among the others: its front, and how much room it has there.
struct Standing {
  std::size_t front = 0;
  double room = 0;
};

bool better(const Standing& a, const Standing& b) {
  return a.front != b.front ? a.front < b.front : a.room > b.room;
}

/// Distance to the neighbours within one front, both costs scaled to the front's extent.
void give_room(std::span<const Candidate> all, std::vector<std::size_t> front,
               std::vector<Standing>& standings) {
  for (std::size_t c = 0; c < 2; ++c) {
    std::stable_sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
      return all[a].costs[c] < all[b].costs[c];
    });
    double extent = all[front.back()].costs[c] - all[front.front()].costs[c];
    standings[front.front()].room = standings[front.back()].room = HUGE_VAL;
    if (!(extent > 0) || std::isinf(extent)) continue;
    for (std::size_t i = 1; i + 1 < front.size(); ++i) {
      standings[front[i]].room +=
          (all[front[i + 1]].costs[c] - all[front[i - 1]].costs[c]) / extent;
    }
  }
}

std::vector<Standing> rank(std::span<const Candidate> all) {
  std::vector<Standing> out(all.size());
  std::vector<std::size_t> rest(all.size());
  std::iota(rest.begin(), rest.end(), 0U);
  for (std::size_t number = 0; !rest.empty(); ++number) {
    std::vector<std::size_t> front;
    std::vector<std::size_t> later;
    for (std::size_t i : rest) {
      bool beaten = std::any_of(rest.begin(), rest.end(), [&](std::size_t j) {
        return dominates(all[j].costs, all[i].costs);
      });
      (beaten ? later : front).push_back(i);
    }
    for (std::size_t i : front) out[i].front = number;
    give_room(all, front, out);
    rest = std::move(later);
  }
  return out;
}

class Breeder {
 public:
  Breeder(std::span<const Gene> genes, Rng& rng) : genes_(genes), rng_(rng) {}

  Genome draw() {
    Genome out;
    for (const Gene& gene : genes_) out.push_back(any(gene));
    return out;
  }

  /// Each gene from one of the parents; on average one gene moves by a step or, less often, jumps.
  Genome child(const Genome& a, const Genome& b) {
    Genome out;
    for (std::size_t i = 0; i < genes_.size(); ++i) {
      out.push_back(rng_.chance(0.5) ? a[i] : b[i]);
      if (!rng_.chance(1.0 / static_cast<double>(genes_.size()))) continue;
      int step = rng_.chance(0.5) ? 1 : -1;
      out[i] = rng_.chance(0.25) ? any(genes_[i])
                                 : std::clamp(out[i] + step, genes_[i].low, genes_[i].high);
    }
    return out;
  }

 private:
  int any(const Gene& gene) { return static_cast<int>(rng_.between(gene.low, gene.high)); }

  std::span<const Gene> genes_;
  Rng& rng_;
};

std::vector<Candidate> front_of(const std::map<Genome, Costs>& known) {
  std::vector<Candidate> all;
  std::vector<Costs> costs;
  for (const auto& [genome, cost] : known) {
    all.push_back({genome, cost});
    costs.push_back(cost);
  }
  std::vector<Candidate> out;
  for (std::size_t i : pareto_front(costs)) out.push_back(all[i]);
  return out;
}

}  // namespace

bool dominates(const Costs& a, const Costs& b) {
  return a[0] <= b[0] && a[1] <= b[1] && (a[0] < b[0] || a[1] < b[1]);
}

std::vector<std::size_t> pareto_front(std::span<const Costs> costs) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  std::vector<std::size_t> out;
  double least = HUGE_VAL;
  for (std::size_t i : order) {
    if (!(costs[i][1] < least)) continue;
    least = costs[i][1];
    out.push_back(i);
  }
  return out;
}

std::vector<Candidate> nsga2(std::span<const Gene> genes, const Nsga2Options& options, Rng rng,
                             const std::function<Costs(const Genome&)>& cost) {
  std::map<Genome, Costs> known;
  auto costed = [&](Genome genome) {
    auto found = known.find(genome);
    if (found == known.end()) found = known.emplace(genome, cost(genome)).first;
    return Candidate{std::move(genome), found->second};
  };
  Breeder breeder(genes, rng);
  std::vector<Candidate> living;
  while (living.size() < options.population) living.push_back(costed(breeder.draw()));
  std::vector<Candidate> front = front_of(known);
  std::size_t still = 0;
  for (std::size_t g = 0; g < options.generations && still < options.patience; ++g) {
    std::vector<Standing> standings = rank(living);
    auto parent = [&]() -> const Genome& {
      std::size_t a = rng.below(options.population);
      std::size_t b = rng.below(options.population);
      return living[better(standings[a], standings[b]) ? a : b].genome;
    };
    std::vector<Candidate> all = living;
    while (all.size() < 2 * options.population)
      all.push_back(costed(breeder.child(parent(), parent())));
    standings = rank(all);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return better(standings[a], standings[b]);
    });
    for (std::size_t i = 0; i < options.population; ++i) living[i] = all[order[i]];
    std::vector<Candidate> now = front_of(known);
    bool same = std::equal(now.begin(), now.end(), front.begin(), front.end(),
                           [](const auto& a, const auto& b) { return a.genome == b.genome; });
    still = same ? still + 1 : 0;
    front = std::move(now);
  }
  return front;
}

}  // namespace beckon::filters
