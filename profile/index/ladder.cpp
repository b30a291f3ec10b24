// SPDX-License-Identifier: MIT
#include "profile/index/ladder.h"

#include <algorithm>

namespace beckon::profile {

namespace {

/// The buckets of one width that an interval touches: `count` of them from `first` on, round the
/// circle if there is one.
struct Touched {
  std::uint64_t first{};
  std::uint64_t count = 1;
  std::uint64_t buckets = 1;  // in all
  bool circular = false;

  std::uint64_t at(std::uint64_t i) const { return (first + i) % buckets; }
  std::uint8_t ahead_of(std::uint64_t i) const {  // of the i-th bucket, to the first again
    if (!circular) return Wanted::never;
    std::uint64_t ahead = i == 0 ? 0 : buckets - i;
    return static_cast<std::uint8_t>(std::min<std::uint64_t>(ahead, Wanted::never));
  }
};

/// One less than the number of values, which may be 2^64.
std::uint64_t size_less_one(const NumberSpace& space, const Interval& v) {
  std::uint64_t lo = space.offset(v.lo);
  std::uint64_t hi = space.offset(v.hi);
  return lo <= hi ? hi - lo : space.last() - lo + hi + 1;
}

Touched touched(const NumberSpace& space, const Interval& v, std::uint64_t width) {
  std::uint64_t lo = space.offset(v.lo);
  std::uint64_t hi = space.offset(v.hi);
  Touched out{.first = lo / width, .buckets = space.last() / width + 1, .circular = space.circular};
  std::uint64_t last = hi / width;
  out.count = lo <= hi ? last - out.first + 1 : out.buckets - out.first + last + 1;
  out.count =
      std::min(out.count, out.buckets);  // a wrapped range may end in the bucket it began in
  return out;
}

std::size_t level_of(const std::vector<std::uint64_t>& ladder, std::uint64_t size_less_one) {
  for (std::size_t level = 0; level + 1 < ladder.size(); ++level) {
    if (ladder[level] - 1 >= size_less_one) return level;
  }
  return ladder.size() - 1;
}

std::uint64_t coarsest_buckets(const NumberSpace& space) {
  return space.last() / space.ladder.back() + 1;
}

constexpr Bucket wide_bucket{.level = wide_level};

template <typename Visit>
void each_cell(const Touched& x, const Touched& y, Visit visit) {
  for (std::uint64_t i = 0; i < x.count; ++i) {
    for (std::uint64_t j = 0; j < y.count; ++j) visit(i, j);
  }
}

bool too_many(const Touched& x, const Touched& y) {
  return x.count > max_touched || y.count > max_touched || x.count * y.count > max_touched;
}

/// One or two dimensions; in one, y is a single bucket.
using TouchedAt = std::pair<Touched, Touched>;

template <typename At>
std::vector<StoredBucket> stored(const std::vector<std::uint64_t>& ladder, std::size_t home,
                                 At at) {
  std::vector<StoredBucket> out;
  auto [coarse_x, coarse_y] = at(ladder.back());
  if (too_many(coarse_x, coarse_y)) return {{wide_bucket, {}}};
  for (std::size_t level = home; level < ladder.size(); ++level) {
    auto [x, y] = at(ladder[level]);
    each_cell(x, y, [&, x = x, y = y](std::uint64_t i, std::uint64_t j) {
      Marks marks{level == home, i == 0, j == 0, static_cast<std::uint8_t>(x.count)};
      out.push_back({{static_cast<std::uint8_t>(level), x.at(i), y.at(j)}, marks});
    });
  }
  return out;
}

template <typename At>
std::optional<std::vector<AskedBucket>> asked(const std::vector<std::uint64_t>& ladder,
                                              std::size_t home, bool wide, At at) {
  std::vector<AskedBucket> out;
  for (std::size_t level = home; level < ladder.size(); ++level) {
    auto [x, y] = at(ladder[level]);
    if (too_many(x, y)) return std::nullopt;
    each_cell(x, y, [&, x = x, y = y](std::uint64_t i, std::uint64_t j) {
      Wanted wanted{level != home, i == 0, j == 0, x.ahead_of(i)};
      out.push_back({{static_cast<std::uint8_t>(level), x.at(i), y.at(j)}, wanted});
    });
  }
  if (wide) out.push_back({wide_bucket, {}});
  return out;
}

}  // namespace

bool Wanted::admits(const Marks& marks) const {
  if (home_only && !marks.home) return false;
  bool x = first_x || (marks.first_x && back >= marks.span);
  bool y = first_y || marks.first_y;
  return x && y;
}

std::vector<StoredBucket> stored_buckets(const NumberSpace& space, const Interval& value) {
  if (space.ladder.empty()) return {};
  auto at = [&](std::uint64_t width) { return TouchedAt{touched(space, value, width), {}}; };
  return stored(space.ladder, level_of(space.ladder, size_less_one(space, value)), at);
}

std::optional<std::vector<AskedBucket>> asked_buckets(const NumberSpace& space,
                                                      const Interval& question, Relation relation) {
  if (space.ladder.empty()) return std::nullopt;
  std::size_t home = level_of(space.ladder, size_less_one(space, question));
  Interval seen = relation == Relation::overlaps ? question : Interval{question.lo, question.lo};
  auto at = [&](std::uint64_t width) { return TouchedAt{touched(space, seen, width), {}}; };
  return asked(space.ladder, home, coarsest_buckets(space) > max_touched, at);
}

std::vector<StoredBucket> stored_cells(const PlaceSpace& space, const Box& value) {
  if (space.x.ladder.empty()) return {};
  std::uint64_t size = std::max(size_less_one(space.x, value.x), size_less_one(space.y, value.y));
  auto at = [&](std::uint64_t width) {
    return TouchedAt{touched(space.x, value.x, width), touched(space.y, value.y, width)};
  };
  return stored(space.x.ladder, level_of(space.x.ladder, size), at);
}

std::optional<std::vector<AskedBucket>> asked_cells(const PlaceSpace& space, const Box& question) {
  if (space.x.ladder.empty()) return std::nullopt;
  std::uint64_t size =
      std::max(size_less_one(space.x, question.x), size_less_one(space.y, question.y));
  auto at = [&](std::uint64_t width) {
    return TouchedAt{touched(space.x, question.x, width), touched(space.y, question.y, width)};
  };
  std::uint64_t columns = coarsest_buckets(space.x);
  std::uint64_t rows = coarsest_buckets(space.y);
  bool wide = columns > max_touched || rows > max_touched || columns * rows > max_touched;
  return asked(space.x.ladder, level_of(space.x.ladder, size), wide, at);
}

}  // namespace beckon::profile
