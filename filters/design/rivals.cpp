// SPDX-License-Identifier: MIT
#include "filters/design/rivals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "filters/design/dyadic.h"

namespace beckon::filters {

namespace {

struct Texts {
  int count = 0;
  double weight = 0;
};

Texts texts_of(const Load& load) {
  Texts texts;
  for (const TextLoad& text : load.texts) {
    texts.count += text.count;
    texts.weight += text.count * text.weight;
  }
  return texts;
}

/// How many outside values an end point rounded by 2^shift lets in, as a weighted rate.
double rounding_cost(const RangeLoad& range, int shift) {
  double outside = range.size.outside() - 2 * range.query + 2;
  return outside <= 0 ? 0 : range.weight * std::min(1.0, (std::exp2(shift) - 1) / outside);
}

struct Endpoints {
  std::vector<int> shifts{};
  int bits = 0;
  double cost = 0;
};

Endpoints exact_endpoints(const Load& load) {
  Endpoints ends{std::vector<int>(load.ranges.size(), 0), 0, 0};
  for (const RangeLoad& range : load.ranges) ends.bits += endpoint_bits(range);
  return ends;
}

/// Rounds where a saved bit costs least; the cost per step only grows, so greedy is optimal up to
/// the last step. False when there is nothing left to save.
bool round_cheapest(const Load& load, Endpoints& ends) {
  double cheapest = std::numeric_limits<double>::infinity();
  std::size_t chosen = load.ranges.size();
  for (std::size_t i = 0; i < load.ranges.size(); ++i) {
    const RangeLoad& range = load.ranges[i];
    int saved = endpoint_bits(range, ends.shifts[i]) - endpoint_bits(range, ends.shifts[i] + 1);
    if (saved <= 0) continue;
    double more = rounding_cost(range, ends.shifts[i] + 1) - rounding_cost(range, ends.shifts[i]);
    if (more / saved >= cheapest) continue;
    cheapest = more / saved;
    chosen = i;
  }
  if (chosen == load.ranges.size()) return false;
  const RangeLoad& range = load.ranges[chosen];
  int shift = ends.shifts[chosen]++;
  ends.bits -= endpoint_bits(range, shift) - endpoint_bits(range, shift + 1);
  ends.cost += rounding_cost(range, shift + 1) - rounding_cost(range, shift);
  return true;
}

}  // namespace

PlainBloom plain_bloom(const Load& load, int bits, int k_low, int k_high) {
  Texts texts = texts_of(load);
  double elements = texts.count;
  double weight = texts.weight;
  for (const RangeLoad& range : load.ranges) elements += range.size.width;
  PlainBloom best{k_low, 0, std::numeric_limits<double>::infinity()};
  for (int k = k_low; k <= k_high; ++k) {
    Fill fill = fill_of(elements * k, bits);
    double total = weight * fill.power(k);
    for (const RangeLoad& range : load.ranges) {
      if (range.size.outside() <= 0) continue;
      total += range.weight * any_far_simple(range.query, {k, 1, k}, fill);
    }
    if (total < best.total_fpr) best = {k, elements * k, total};
  }
  return best;
}

int endpoint_bits(const RangeLoad& range, int shift) {
  int each = std::max(0, dyadic_levels(range.size.scope) - shift);
  return range.size.width > 1 ? 2 * each : each;
}

ExplicitRecord explicit_record(const Load& load, int bits) {
  Texts texts = texts_of(load);
  ExplicitRecord best;
  best.total_fpr = std::numeric_limits<double>::infinity();
  int most = texts.count == 0 ? 0 : std::min(128, bits / texts.count);
  for (int fingerprint = 0; fingerprint <= most; ++fingerprint) {
    Endpoints ends = exact_endpoints(load);
    while (ends.bits + fingerprint * texts.count > bits && round_cheapest(load, ends)) {
    }
    int used = ends.bits + fingerprint * texts.count;
    double total = ends.cost + texts.weight * std::exp2(-fingerprint);
    if (used <= bits && total < best.total_fpr) best = {used, fingerprint, ends.shifts, total};
  }
  return best;
}

ExplicitRecord smallest_explicit_record(const Load& load, double target) {
  Texts texts = texts_of(load);
  ExplicitRecord best;
  best.bits = std::numeric_limits<int>::max();
  for (int fingerprint = 0; fingerprint <= (texts.count == 0 ? 0 : 128); ++fingerprint) {
    double text_cost = texts.weight * std::exp2(-fingerprint);
    if (text_cost > target) continue;
    Endpoints ends = exact_endpoints(load);
    for (Endpoints next = ends; round_cheapest(load, next) && text_cost + next.cost <= target;) {
      ends = next;
    }
    int used = ends.bits + fingerprint * texts.count;
    if (used < best.bits) best = {used, fingerprint, ends.shifts, text_cost + ends.cost};
  }
  return best;
}

}  // namespace beckon::filters
