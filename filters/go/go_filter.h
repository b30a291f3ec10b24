// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "filters/bits/bit_array.h"
#include "filters/go/go_layout.h"

namespace beckon::filters {

/// A profile in few bits: texts, points and ranges of a GoLayout. Answers "maybe" or "certainly
/// not" and never forgets: whatever was inserted is found, in folded and merged filters too.
///
/// Length: the layout's base length or a divisor of it. Work is bounded: a row of more than
/// `fill_factor` times the base length fills the filter without hashing (all but surely it would
/// anyway), and a question over more than `max_groups` groups is answered "maybe" unless the filter
/// is empty. The layout is shared because thousands of filters of one class live side by side and
/// none of them outranks the others.
class GoFilter {
 public:
  static constexpr std::uint64_t max_groups = 1 << 16;
  static constexpr std::uint64_t fill_factor = 64;

  explicit GoFilter(std::shared_ptr<const GoLayout> layout);
  /// Refuses a length that does not divide the layout's.
  static Result<GoFilter> from_bits(std::shared_ptr<const GoLayout> layout, BitArray bits);

  const GoLayout& layout() const { return *layout_; }
  const BitArray& bits() const { return bits_; }
  double fill() const;  // ones / length

  // Attributes are those of layout().attributes(). A value outside its scope is refused, and
  // nothing is inserted.
  void insert_text(const Hash128& seed);
  void insert_texts(std::span<const Hash128> seeds);  // the same, faster
  Result<void> insert_point(const GoAttribute& attribute, std::int64_t value);
  Result<void> insert_range(const GoAttribute& attribute, std::int64_t lo, std::int64_t hi);

  // Questions ask both key spaces, points and ranges. Values outside the scope are in no filter.
  bool may_contain_text(const Hash128& seed) const;
  bool may_contain(const GoAttribute& attribute, std::int64_t value) const;
  /// Any value of lo..hi?
  bool may_overlap(const GoAttribute& attribute, std::int64_t lo, std::int64_t hi) const;
  /// One inserted range, or points alone, over all of lo..hi?
  bool may_cover(const GoAttribute& attribute, std::int64_t lo, std::int64_t hi) const;

  /// Same layout and same length; what the two functions below need.
  bool compatible(const GoFilter& other) const;
  bool is_subset_of(const GoFilter& other) const { return bits_.is_subset_of(other.bits_); }
  void merge(const GoFilter& other);

  /// Equal to having inserted everything into a filter of `bits` bits, which must divide our
  /// length.
  GoFilter fold(std::uint32_t bits) const;

  friend bool operator==(const GoFilter& a, const GoFilter& b);

 private:
  GoFilter(std::shared_ptr<const GoLayout> layout, BitArray bits);
  void insert(const GroupRow& row);
  void set_all();

  std::shared_ptr<const GoLayout> layout_;
  BitArray bits_;
  Modulus modulus_;
};

/// The questions on bare bits, for those who keep many filters of one layout without objects.
bool may_contain_text(const BitArray& bits, std::uint32_t k, const Hash128& seed);
bool row_overlaps(const BitArray& bits, const GroupRow& row);
bool row_covered(const BitArray& bits, const GroupRow& row, std::uint64_t base_bits);

}  // namespace beckon::filters
