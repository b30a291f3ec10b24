// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "base/rng.h"
#include "filters/go/go_filter.h"

namespace beckon::filters::testing {

/// What was inserted, kept the plain way: the truth a filter may exceed but never deny.
struct Truth {
  struct Interval {
    std::int64_t lo;
    std::int64_t hi;
  };
  std::vector<std::vector<Interval>> ranges;  // by attribute
  std::vector<std::set<std::int64_t>> points;
  std::vector<Hash128> texts;

  bool overlaps(std::size_t attribute, std::int64_t lo, std::int64_t hi) const;
  bool covers(std::size_t attribute, std::int64_t lo, std::int64_t hi) const;
};

/// A random layout (odd lengths, negative scopes, 64-bit extremes), a filter in it, and the truth.
struct World {
  std::shared_ptr<const GoLayout> layout;
  GoFilter filter;
  Truth truth;
};

World random_world(Rng& rng);
Scope random_interval(Rng& rng, const Scope& scope);  // inside the scope; mostly short

}  // namespace beckon::filters::testing
