// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "profile/person/value.h"

namespace beckon::profile {

// The home ladder: under which buckets a published number is stored, and which buckets a question
// reads. A ladder has a few levels of buckets, each some 16 times wider than the one before. A
// range is at home on the finest level whose buckets are at least as wide as itself, and is stored
// there and on every coarser level, in each bucket it touches. A question reads everything on the
// level of its own width and on coarser ones only what is at home there. So whatever overlaps is
// read, on exactly one level; and the marks below let it be answered in exactly one bucket.
//
// A range that would touch more than max_touched buckets of the coarsest level is stored once, in
// the `wide` bucket of its attribute, which every question reads too.

inline constexpr std::size_t max_touched = 16;
inline constexpr std::uint8_t wide_level = 255;

/// Marks of a stored number. `span` is how many buckets it touches along x, counted from the first.
struct Marks {
  bool home = true;
  bool first_x = true;
  bool first_y = true;  // places have two axes, all else only x
  std::uint8_t span = 1;
  static constexpr Form form = exact("marks");
  static void fields(auto& f, auto& m) {
    f.flags8("flags", m.home, m.first_x, m.first_y);
    f("span", m.span, {1, max_touched});
  }
  friend bool operator==(const Marks&, const Marks&) = default;
};

/// What a question wants of a bucket.
struct Wanted {
  static constexpr std::uint8_t never = 255;
  bool home_only = false;
  bool first_x = true;  // this is the first bucket that the question touches, along x
  bool first_y = true;
  std::uint8_t back =
      never;  // circular: how many buckets ahead of this one the question's first lies
  static constexpr Form form = exact("wanted");
  static void fields(auto& f, auto& m) {
    f.flags8("wanted", m.home_only, m.first_x, m.first_y);
    f("back", m.back);
  }

  /// Answer the stored number here: it is not answered in another bucket of this question.
  bool admits(const Marks& marks) const;
  friend bool operator==(const Wanted&, const Wanted&) = default;
};

struct Bucket {
  std::uint8_t level{};
  std::uint64_t x{};
  std::uint64_t y{};  // 0 but for places
  friend auto operator<=>(const Bucket&, const Bucket&) = default;
};

struct StoredBucket {
  Bucket bucket{};
  Marks marks{};
};

struct AskedBucket {
  Bucket bucket{};
  Wanted wanted{};
};

/// Overlap reads all buckets the question touches. Covering needs only the bucket of its first
/// value: whatever covers the question is there.
enum class Relation : std::uint8_t { overlaps, covers };

std::vector<StoredBucket> stored_buckets(const NumberSpace& space, const Interval& value);
std::optional<std::vector<AskedBucket>> asked_buckets(
    const NumberSpace& space, const Interval& question,
    Relation relation);  // none: it touches too many

/// A place: x is the longitude, y the latitude, cells are squares of the same ladder.
struct Box {
  Interval x{};
  Interval y{};
};
struct PlaceSpace {
  NumberSpace x{};
  NumberSpace y{};
};
std::vector<StoredBucket> stored_cells(const PlaceSpace& space, const Box& value);
std::optional<std::vector<AskedBucket>> asked_cells(const PlaceSpace& space, const Box& question);

}  // namespace beckon::profile
