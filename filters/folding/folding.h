// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace beckon::filters {

// Folding: a filter of m positions cut into m / m' pieces laid over each other, bits by OR and
// counters by addition (folding-filters III). BloomFilter, GoFilter and SpectralFilter fold
// themselves: a fold by a prime is elementary, by a product composite, several folds sequential,
// and all ways to one length give one filter, the one hashed into that length at once. Unfolding
// means folding the kept original less. Here is what to fold to.

struct RateInterval {
  double lo = 0;  // false positive rates, 0 < lo < hi < 1
  double hi = 0;
};

struct SizeInterval {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

/// (1 - (1 - 1/m)^(k n))^k.
double false_positive_rate(double m, double n, double k);

/// The sizes whose rate lies in the interval. The paper's equation 14 cannot be right as printed:
/// it holds no k-th root, and its bounds do not depend on the rate when epsilon is fixed as a share
/// of it. Solving the rate for m gives m = 1 / (1 - (1 - r^(1/k))^(1/(k n))), which falls as r
/// grows, so the bounds are m(hi) <= m <= m(lo). Empty (least > most) if no whole number fits.
SizeInterval sizes_for(const RateInterval& rates, double n, double k);

struct Fold {
  std::uint32_t size = 0;
  std::uint32_t factor = 0;  // original / size
  double rate = 0;
};

struct FoldPlan {
  SizeInterval wanted{};
  std::vector<Fold> admissible{};  // divisors in the interval, ascending
  Fold chosen{};                   // the smallest admissible; if none, the smallest whose rate is
                                   // below hi; if none, the original
  bool within = false;             // chosen is admissible
};
/// Which folds of an original of `size` positions suit n elements.
FoldPlan plan_fold(std::uint32_t size, double n, double k, const RateInterval& rates);

struct SizeChoice {
  std::uint32_t size = 0;
  std::uint32_t divisors = 0;
  std::uint32_t largest_prime = 0;
};
/// Originals of least..most positions (an interval of up to 2^20) with the most divisors, most
/// first, then smallest; only `smooth`-smooth ones.
std::vector<SizeChoice> plan_original(const SizeInterval& sizes, std::uint32_t smooth,
                                      std::size_t count);

/// The entropy variant (IV-C): which fold to send next so that, together with those sent, it tells
/// most. Elements collide in all folds only if their positions agree modulo the least common
/// multiple of the sizes, so take the fold that makes that multiple largest; on a tie the smallest.
/// `admissible` are divisors of one original; 0 when all have been sent.
std::uint32_t next_fold(const std::vector<std::uint32_t>& admissible,
                        const std::vector<std::uint32_t>& sent);

/// What the receiver of several folds of one original knows: an element is there only if each fold
/// has it. `Filter` answers may_contain(element).
template <typename Filter>
class FoldAggregate {
 public:
  void add(Filter folded) { folds_.push_back(std::move(folded)); }
  std::size_t count() const { return folds_.size(); }
  bool may_contain(const Hash128& element) const {
    return std::all_of(folds_.begin(), folds_.end(),
                       [&](const Filter& fold) { return fold.may_contain(element); });
  }

 private:
  std::vector<Filter> folds_;
};

/// A filter that follows the size of its set: the original is kept, the fold in use is the one that
/// plan_fold chooses for the present number of elements, so that the rate stays within the interval
/// as long as a divisor allows it. `Filter` has fold(size); what changes the original is the
/// caller's, through change().
template <typename Filter>
class ResizingFilter {
 public:
  ResizingFilter(Filter original, std::uint32_t size, std::uint32_t k, RateInterval rates)
      : original_(std::move(original)), size_(size), k_(k), rates_(rates), now_(size) {}

  /// Applies `change` to the original and, if the number of elements asks for it, folds anew.
  /// `elements` is how many (distinct) elements there are afterwards. True if the size changed.
  template <typename Change>
  bool change(Change change, double elements) {
    change(original_);
    std::uint32_t before = now_;
    now_ = plan_fold(size_, elements, k_, rates_).chosen.size;
    return now_ != before;
  }
  std::uint32_t size() const { return now_; }
  const Filter& original() const { return original_; }
  /// The original folded to size(); made anew at each call.
  auto folded() const { return original_.fold(now_); }

 private:
  Filter original_;
  std::uint32_t size_;
  std::uint32_t k_;
  RateInterval rates_;
  std::uint32_t now_;
};

}  // namespace beckon::filters
