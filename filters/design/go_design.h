// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "filters/go/go_model.h"

namespace beckon::filters {

/// Limits of what a design accepts; the same for tools, schemas and classes.
namespace design_limits {
inline constexpr int min_bits = 8;
inline constexpr int max_bits = 1 << 20;
inline constexpr int max_k = 64;
inline constexpr double max_scope =
    9007199254740992.0;  // 2^53: every count stays exact in a double
inline constexpr int max_attributes = 64;
inline constexpr int max_texts = 4096;
}  // namespace design_limits

/// A published numeric attribute. `query` is the width of the windows asked for (any-of); 1 asks
/// for single values. A width of 1 is a point and gets its own key space with s = k.
struct RangeLoad {
  RangeSize size{};
  double weight = 1;
  double query = 1;
};

struct TextLoad {
  int count = 0;
  double weight = 1;
};

/// What one profile puts into a filter.
struct Load {
  std::vector<TextLoad> texts{};
  std::vector<RangeLoad> ranges{};
};

/// A layout for a Load: one k per text group, one Shape per range. With a common k all are equal.
struct Design {
  int bits = 0;
  std::vector<int> text_k{};
  std::vector<Shape> ranges{};
  double total_fpr = 1;  // sum over attributes of weight times rate
};

/// What a design costs and yields, attribute by attribute.
struct Rates {
  struct Part {
    double positions = 0;
    double fpr = 0;  // of one attribute (one text), without its weight
  };
  std::vector<Part> texts{};
  std::vector<Part> ranges{};
  double positions = 0;
  double set_bits = 0;
  double total_fpr = 0;
};

enum class Method { best, two_phase, thesis };

struct DesignOptions {
  int bits = 512;
  int k_low = 1;
  int k_high = design_limits::max_k;
  Method method = Method::best;
  /// Attributes may differ in k. Pays only when weights differ, so `best` asks for it only then.
  bool own_k = true;
};

Result<void> check(const Load& load, const DesignOptions& options);

/// One attribute's rate for the queries it is asked: values, or windows.
double range_rate(const RangeLoad& range, const Shape& shape, const Fill& fill);

/// The formulas of go_model applied to a design. `model` chooses how the fill is computed.
Rates rate(const Load& load, const Design& design, FillModel model = FillModel::exponential);

/// The best layout that the method finds.
///  best       price iteration, descent, pair moves and kicks, beside two_phase: never above it
///  two_phase  the report's: start by marginal prices, then gradient steps for k_ini-4 .. k_ini+3
///  thesis     algorithm 3-3: coordinate descent from single-attribute optima, k grown greedily
Result<Design> design(const Load& load, const DesignOptions& options);

/// Where the two-phase algorithm starts (report equations 34, 35): useful to see and to test.
struct Phase1 {
  int k = 0;
  std::vector<Shape> ranges{};
};
Phase1 phase1(const Load& load, int k);
int initial_k(const Load& load, int bits);  // smallest k that fills half the filter

/// `design` with two_phase or thesis at one given k.
Design two_phase_at(const Load& load, int bits, int k);
Design thesis_at(const Load& load, int bits, int k);

}  // namespace beckon::filters
