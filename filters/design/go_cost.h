// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "filters/design/go_design.h"

namespace beckon::filters {

/// The objective of every optimiser, made fast: one table of powers of the fill per evaluation and
/// closed forms over it. Agrees with go_model (a test holds them together). A Load that was
/// checked.
class GoCost {
 public:
  GoCost(const Load& load, int bits);

  /// q^0 .. q^k of one fill, and 1/(1-q).
  struct Powers {
    std::array<double, design_limits::max_k + 1> at;
    double per_clear;
    double operator[](int j) const { return at[static_cast<std::size_t>(j)]; }
  };
  static void fill_powers(double q, int k, Powers& out);

  double positions(std::span<const Shape> ranges, std::span<const int> text_k) const;
  double fill(double positions) const {  // q
    double load = positions / bits_;
    return load < 0.01 ? -std::expm1(-load) : 1 - std::exp(-load);
  }
  double total_at(double q, std::span<const Shape> ranges, std::span<const int> text_k) const;
  double range_positions(std::size_t i, const Shape& shape) const {
    return (ranges_[i].width - 1) * shape.s / static_cast<double>(shape.d) + shape.k;
  }
  double range_fpr(std::size_t i, const Shape& shape, const Powers& powers) const;  // weighted

  /// The next layout of attribute i along its sequence, `by` steps towards more positions (or
  /// fewer, negative); false when the sequence ends before. Ranges walk ...(2,1),(1,1),(1,2)...;
  /// points keep s = k and walk d alone (towards 1 for positive steps).
  bool step(std::size_t i, Shape& shape, std::int64_t by) const;
  /// The same attribute at another k, s kept inside it.
  Shape with_k(std::size_t i, Shape shape, int k) const;
  bool is_point(std::size_t i) const { return ranges_[i].point; }
  std::size_t size() const { return ranges_.size(); }
  const Load& load() const { return load_; }
  double bits() const { return bits_; }

 private:
  struct Term {
    double scope, width, outside, per_outside, weight, query;
    bool point;
  };
  struct Text {
    double count, weight;  // weight of all of them together
  };
  static double plain_fpr(const Term& term, const Shape& shape, const Powers& powers);
  static double guarded_fpr(const Term& term, const Shape& shape, const Powers& powers);
  double sum(const Powers& powers, std::span<const Shape> ranges,
             std::span<const int> text_k) const;
  static int largest_k(std::span<const Shape> ranges, std::span<const int> text_k);

  Load load_;
  double bits_;
  std::vector<Term> ranges_;
  std::vector<Text> texts_;
};

}  // namespace beckon::filters
