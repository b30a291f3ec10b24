// SPDX-License-Identifier: MIT
#include "filters/tree/bloom_tree.h"

#include <algorithm>

#include "filters/bits/bit_runs.h"
#include "filters/tree/tree_lanes.h"

namespace beckon::filters {

namespace {

/// The filters of a level in which an element is, and room for one filter's positions behind.
using Visits = std::array<std::uint32_t, BloomTreeShape::max_visits + BloomTreeShape::max_k>;

/// Calls visit(level, first bit, bits, mask) for runs of bits that hold an element's, level by
/// level, until it says false: a small filter's all at once, others one by one. A bit that two
/// positions share is visited twice with all that is below it: work for nothing, but how often that
/// happens is chance, and a wrong guess of the processor costs more.
template <typename Visit>
bool walk(const TreePositions& positions, std::size_t depth, const Hash128& element, Visit visit) {
  Visits first;
  Visits second;
  std::uint32_t* now = first.data();
  std::uint32_t* below = second.data();
  now[0] = 0;
  std::uint32_t filters = 1;
  Hash128 salted = positions.salted(element);
  for (std::size_t level = 0; level < depth; ++level) {
    bool leaf = level + 1 == depth;  // nobody asks for the children of leaves
    bool small = positions.small(level);
    std::uint32_t k = positions.k(level);
    std::uint32_t m = positions.filter_bits(level);
    std::uint32_t* found = below;
    for (std::uint32_t i = 0; i < filters; ++i) {
      std::uint64_t mask = positions.all_of(salted, level, now[i], found);
      if (small) {
        if (!visit(level, std::uint64_t{now[i]} * m, m, mask)) return false;
      } else {
        for (std::uint32_t j = 0; j < k; ++j) {
          if (!visit(level, found[j], 1, 1)) return false;
        }
      }
      found += leaf ? 0 : k;
    }
    filters *= k;
    std::swap(now, below);
  }
  return true;
}

}  // namespace

BloomTree::BloomTree(BloomTreeShape shape)
    : shape_(std::move(shape)), positions_(shape_), bits_(shape_.total_bits()) {
  by_lanes_ = walks_by_lanes(shape_, positions_);
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < shape_.depth(); ++i) {
    offsets_.push_back(offset);
    offset += shape_.level_bits(i);
  }
}

Result<BloomTree> BloomTree::make(BloomTreeShape shape) {
  auto checked = shape.check();
  if (!checked) return checked.error();
  return BloomTree(std::move(shape));
}

Result<BloomTree> BloomTree::from_levels(BloomTreeShape shape, std::span<const BitArray> levels) {
  auto made = make(std::move(shape));
  if (!made) return made;
  if (levels.size() != made->shape_.depth()) return invalid("not as many levels as the shape says");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].size() != made->shape_.level_bits(i)) {
      return invalid("a level of the tree has the wrong length");
    }
    copy_run(levels[i], 0, made->bits_, made->offsets_[i], levels[i].size());
  }
  BloomTree whole = *made;
  made->prune();
  if (made->bits_ != whole.bits_)
    return invalid("the tree has ones below zeros, or none below ones");
  return made;
}

void BloomTree::insert(const Hash128& element) {
  if (by_lanes_) {
    return insert_by_lanes({positions_, offsets_, bits_.words()}, positions_.salted(element));
  }
  walk(positions_, shape_.depth(), element,
       [&](std::size_t level, std::uint64_t at, std::uint32_t count, std::uint64_t mask) {
         or_run(bits_, offsets_[level] + at, mask, count);
         return true;
       });
}

bool BloomTree::may_contain(const Hash128& element) const {
  if (by_lanes_) {
    return find_by_lanes({positions_, offsets_, bits_.words()}, positions_.salted(element));
  }
  return walk(positions_, shape_.depth(), element,
              [&](std::size_t level, std::uint64_t at, std::uint32_t count, std::uint64_t mask) {
                return (mask & ~run_at(bits_, offsets_[level] + at, count)) == 0;
              });
}

void BloomTree::insert_all(std::span<const Hash128> elements) {
  std::size_t done =
      by_lanes_ ? insert_many({positions_, offsets_, bits_.words()}, elements) : std::size_t{0};
  for (const Hash128& element : elements.subspan(done)) insert(element);
}

void BloomTree::may_contain(std::span<const Hash128> elements, std::span<bool> out) const {
  ENSURE(out.size() >= elements.size());
  std::size_t i = by_lanes_ ? find_many({positions_, offsets_, bits_.words()}, elements, out.data())
                            : std::size_t{0};
  for (; i < elements.size(); ++i) out[i] = may_contain(elements[i]);
}

bool BloomTree::intersect(const BloomTree& other) {
  if (shape_ != other.shape_) return false;
  bits_ &= other.bits_;
  prune();
  return true;
}

bool BloomTree::merge(const BloomTree& other) {
  if (shape_ != other.shape_) return false;
  bits_ |= other.bits_;
  return true;
}

/// Upwards: a bit with an empty child goes. Downwards: what lies below a zero goes.
void BloomTree::prune() {
  for (std::size_t level = shape_.depth() - 1; level-- > 0;) {
    std::uint32_t m = shape_.levels[level + 1].bits;
    for (std::uint64_t bit = 0; bit < shape_.level_bits(level); ++bit) {
      if (!test(level, bit)) continue;
      if (empty_run(bits_, offsets_[level + 1] + bit * m, m))
        clear_run(bits_, offsets_[level] + bit, 1);
    }
  }
  for (std::size_t level = 0; level + 1 < shape_.depth(); ++level) {
    std::uint32_t m = shape_.levels[level + 1].bits;
    for (std::uint64_t bit = 0; bit < shape_.level_bits(level); ++bit) {
      if (!test(level, bit)) clear_run(bits_, offsets_[level + 1] + bit * m, m);
    }
  }
}

BitArray BloomTree::level(std::size_t level) const {
  BitArray out(shape_.level_bits(level));
  copy_run(bits_, offsets_[level], out, 0, out.size());
  return out;
}

double BloomTree::fill(std::size_t level) const {
  return static_cast<double>(this->level(level).count()) /
         static_cast<double>(shape_.level_bits(level));
}

}  // namespace beckon::filters
