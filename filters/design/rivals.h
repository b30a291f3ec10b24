// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "filters/design/go_design.h"

namespace beckon::filters {

/// What else could carry a profile in the same bits. Shown beside every design, because the GO
/// filter is not always the best (docs/filters.md).

/// Every value of every range inserted one by one into a classic Bloom filter, at its best k.
struct PlainBloom {
  int k = 1;
  double positions = 0;
  double total_fpr = 1;
};
PlainBloom plain_bloom(const Load& load, int bits, int k_low = 1,
                       int k_high = design_limits::max_k);

/// The end points written out, texts as fingerprints. End points may be rounded outwards to a
/// multiple of 2^shift to save bits.
struct ExplicitRecord {
  int bits = 0;
  int fingerprint_bits = 0;
  std::vector<int> shifts{};
  double total_fpr = 1;
};
int endpoint_bits(const RangeLoad& range, int shift = 0);
/// Without fingerprint bits for texts, or when nothing fits, total_fpr is the sum of weights.
ExplicitRecord explicit_record(const Load& load, int bits);
ExplicitRecord smallest_explicit_record(const Load& load, double target);

/// Per attribute either GO or dyadic prefixes, in one filter with one k.
struct MixedDesign {
  struct Choice {
    bool dyadic = false;
    Shape shape{};
    int level = 0;
  };
  int bits = 0;
  int k = 1;
  std::vector<Choice> choices{};
  double positions = 0;  // expected
  double total_fpr = 1;
  std::vector<double> range_fpr{};
  std::vector<double> range_positions{};
  double text_fpr = 1;
};

enum class Spread {
  mean_fill,  // as if every filter had the mean number of dyadic blocks: too hopeful
  blocks,     // averaged over how many blocks the alignment makes, and over hashing
};

struct MixedOptions {
  int bits = 512;
  int k_low = 1;
  int k_high = design_limits::max_k;
  bool allow_go = true;
  bool allow_dyadic = true;
  Spread spread = Spread::blocks;
};

/// hybrid: both allowed. Texts share one k and may differ in weight only.
MixedDesign design_mixed(const Load& load, const MixedOptions& options);

}  // namespace beckon::filters
