// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>

#include "filters/bits/bit_array.h"
#include "filters/spectral/spectral.h"

namespace beckon::filters {

// Other ways to write and read the counters of a spectral filter (spectral-filters 3). Each is a
// type of its own, and one that cannot delete has no remove().

/// Increases only the counters that hold the element's minimum (3.2). Never below the truth, never
/// farther above it than minimum selection, and the best of all without deletions. Deleting would
/// take from counters what others rely on. Sums and folds stay upper bounds.
class MinimalIncrease {
 public:
  static Result<MinimalIncrease> make(const SpectralShape& shape);

  void insert(const Hash128& element, std::uint64_t count = 1);
  std::uint64_t estimate(const Hash128& element) const;
  bool at_least(const Hash128& element, std::uint64_t threshold) const {
    return estimate(element) >= threshold;
  }
  Result<void> add(const MinimalIncrease& other);
  Result<void> multiply(const MinimalIncrease& other);
  Result<MinimalIncrease> fold(std::uint32_t counters) const;

  const SpectralShape& shape() const { return shape_; }
  const CounterArray& counters() const { return counters_; }

 private:
  explicit MinimalIncrease(const SpectralShape& shape);
  Positions positions_of(const Hash128& element) const { return placement_.of(element); }

  SpectralShape shape_;
  Placement placement_;
  CounterArray counters_;
};

struct RecurringShape {
  SpectralShape primary{};
  std::uint32_t secondary = 0;  // counters of the second filter; the paper takes half of primary's
  bool marker = true;           // remember in a Bloom filter of primary.counters bits who moved
};

/// Recurring minimum (3.3): an element whose minimum occurs in one counter only is probably stepped
/// over, and is counted in a second, emptier filter from then on. Deletes.
///
/// The second filter can fall behind. Without the marker, an element that moved, then looked
/// recurring for a while, then single again, missed the counts in between; with it, only an element
/// that the marker takes for another one does. So estimates below the truth are rare, not
/// impossible: the paper's claim of none holds for its experiments, not for every input
/// (docs/filters-spectral.md has the rates). Where it must never happen, use minimum selection.
class RecurringMinimum {
 public:
  static Result<RecurringMinimum> make(const RecurringShape& shape);

  void insert(const Hash128& element, std::uint64_t count = 1);
  bool remove(const Hash128& element, std::uint64_t count = 1);
  std::uint64_t estimate(const Hash128& element) const;
  bool at_least(const Hash128& element, std::uint64_t threshold) const {
    return estimate(element) >= threshold;
  }

  bool is_recurring(const Hash128& element) const;  // two counters or more hold its minimum
  const SpectralFilter& primary() const { return primary_; }
  const SpectralFilter& secondary() const { return secondary_; }

 private:
  RecurringMinimum(SpectralFilter primary, SpectralFilter secondary, bool marker);
  bool marked(const Hash128& element) const;
  void mark(const Hash128& element);

  SpectralFilter primary_;
  SpectralFilter secondary_;
  std::optional<BitArray> marker_;
};

/// Trapping recurring minimum (3.3.1): whoever moved to the second filter leaves a trap on its
/// minimal counter. The next element that steps on it was part of the value that moved, and its
/// count is taken off again. Keeps a table of the traps, 20 bytes for each element that moved.
/// Figure 3.1 also takes the moved value out of the first filter; that turns whoever shares the
/// counter into a single minimum of nothing, so here the first filter keeps everything.
class TrappingRecurringMinimum {
 public:
  static Result<TrappingRecurringMinimum> make(const RecurringShape& shape);  // marker is implied

  void insert(const Hash128& element, std::uint64_t count = 1);
  std::uint64_t estimate(const Hash128& element) const;
  bool at_least(const Hash128& element, std::uint64_t threshold) const {
    return estimate(element) >= threshold;
  }
  std::size_t traps() const { return traps_.size(); }
  const SpectralFilter& primary() const { return primary_; }

 private:
  TrappingRecurringMinimum(SpectralFilter primary, SpectralFilter secondary);
  void spring(const Hash128& element);
  bool marked(const Hash128& element) const;

  SpectralFilter primary_;
  SpectralFilter secondary_;
  BitArray marker_;
  std::map<std::uint32_t, Hash128> traps_;  // by counter of the first filter
};

}  // namespace beckon::filters
