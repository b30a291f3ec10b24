// SPDX-License-Identifier: MIT
#include "filters/design/go_design.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "filters/design/go_best.h"

namespace beckon::filters {

namespace {

Result<void> check_range(const RangeLoad& range, std::size_t index) {
  const RangeSize& size = range.size;
  if (!(size.scope >= 1) || size.scope > design_limits::max_scope) {
    return invalid(fmt::format("range {}: the scope must hold 1 to 2^53 values", index));
  }
  if (!(size.width >= 1) || size.width > size.scope) {
    return invalid(
        fmt::format("range {}: the width must be 1 to the scope's {:.0f}", index, size.scope));
  }
  if (!(range.query >= 1) || range.query > size.scope) {
    return invalid(fmt::format("range {}: the query must be 1 to {:.0f} wide", index, size.scope));
  }
  if (!std::isfinite(range.weight) || range.weight < 0) {
    return invalid(fmt::format("range {}: the weight must be a number of 0 or more", index));
  }
  return {};
}

bool same_weights(const Load& load) {
  std::vector<double> weights;
  for (const TextLoad& text : load.texts) weights.push_back(text.weight);
  for (const RangeLoad& range : load.ranges) weights.push_back(range.weight);
  return std::all_of(weights.begin(), weights.end(), [&](double w) { return w == weights[0]; });
}

Design two_phase(const Load& load, const DesignOptions& options) {
  int start = initial_k(load, options.bits);
  int low = std::clamp(start - 4, options.k_low, options.k_high);
  int high = std::clamp(start + 3, options.k_low, options.k_high);
  Design best = two_phase_at(load, options.bits, low);
  for (int k = low + 1; k <= high; ++k) {
    Design found = two_phase_at(load, options.bits, k);
    if (found.total_fpr < best.total_fpr) best = found;
  }
  return best;
}

/// The thesis' search for k: upwards until the rate rises.
Design thesis(const Load& load, const DesignOptions& options) {
  Design best = thesis_at(load, options.bits, options.k_low);
  for (int k = options.k_low + 1; k <= options.k_high; ++k) {
    Design found = thesis_at(load, options.bits, k);
    if (found.total_fpr >= best.total_fpr) break;
    best = found;
  }
  return best;
}

Design best(const Load& load, const DesignOptions& options) {
  GoCost cost(load, options.bits);
  BestSearch search(cost, {options.k_low, options.k_high});
  Candidate found = search.common_k();
  Design report = two_phase(load, options);
  if (report.total_fpr < found.cost) found = candidate_of(cost, report);
  if (options.own_k && !same_weights(load)) found = search.own_k(found);
  return to_design(cost, found);
}

}  // namespace

Result<void> check(const Load& load, const DesignOptions& options) {
  using namespace design_limits;
  if (options.bits < min_bits || options.bits > max_bits) {
    return invalid(fmt::format("bits must be {} to {}, got {}", min_bits, max_bits, options.bits));
  }
  if (options.k_low < 1 || options.k_high > max_k || options.k_low > options.k_high) {
    return invalid(
        fmt::format("k must lie in 1 to {}, got {}..{}", max_k, options.k_low, options.k_high));
  }
  if (load.ranges.size() + load.texts.size() > max_attributes) {
    return invalid(fmt::format("at most {} attributes", max_attributes));
  }
  int texts = 0;
  for (const TextLoad& text : load.texts) {
    if (text.count < 0 || text.count > max_texts || (texts += text.count) > max_texts) {
      return invalid(fmt::format("texts must be 0 to {}", max_texts));
    }
    if (!std::isfinite(text.weight) || text.weight < 0) {
      return invalid("the weight of texts must be a number of 0 or more");
    }
  }
  if (texts == 0 && load.ranges.empty()) return invalid("nothing to design for: no text, no range");
  for (std::size_t i = 0; i < load.ranges.size(); ++i) {
    if (auto ok = check_range(load.ranges[i], i); !ok) return ok;
  }
  return {};
}

double range_rate(const RangeLoad& range, const Shape& shape, const Fill& fill) {
  if (range.query <= 1) return go_fpr(range.size, shape, fill);
  if (range.size.width > 1) return any_fpr(range.size, shape, range.query, fill);
  return point_any_fpr(range.size.scope, shape.d, shape.k, range.query, fill);
}

Rates rate(const Load& load, const Design& design, FillModel model) {
  Rates rates;
  for (std::size_t i = 0; i < load.texts.size(); ++i) {
    rates.texts.push_back({static_cast<double>(load.texts[i].count) * design.text_k[i], 0});
    rates.positions += rates.texts.back().positions;
  }
  for (std::size_t i = 0; i < load.ranges.size(); ++i) {
    rates.ranges.push_back({go_positions(load.ranges[i].size.width, design.ranges[i]), 0});
    rates.positions += rates.ranges.back().positions;
  }
  Fill fill = fill_of(rates.positions, design.bits, model);
  rates.set_bits = expected_set_bits(rates.positions, design.bits);
  for (std::size_t i = 0; i < load.texts.size(); ++i) {
    rates.texts[i].fpr = text_fpr(fill, design.text_k[i]);
    rates.total_fpr += load.texts[i].count * load.texts[i].weight * rates.texts[i].fpr;
  }
  for (std::size_t i = 0; i < load.ranges.size(); ++i) {
    const RangeLoad& range = load.ranges[i];
    rates.ranges[i].fpr = range_rate(range, design.ranges[i], fill);
    rates.total_fpr += range.weight * rates.ranges[i].fpr;
  }
  return rates;
}

Result<Design> design(const Load& load, const DesignOptions& options) {
  if (auto ok = check(load, options); !ok) return ok.error();
  switch (options.method) {
    case Method::two_phase:
      return two_phase(load, options);
    case Method::thesis:
      return thesis(load, options);
    case Method::best:
      break;
  }
  return best(load, options);
}

}  // namespace beckon::filters
