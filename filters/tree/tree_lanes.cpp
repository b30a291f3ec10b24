// SPDX-License-Identifier: MIT
#include "filters/tree/tree_lanes.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/tree/tree_lanes.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first.
#include <hwy/highway.h>

#include "filters/bits/word_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// Filters of a level, and room for one vector behind.
constexpr std::size_t most_lanes = HWY_MAX_BYTES / 4;
using Visits = std::array<std::uint32_t, BloomTreeShape::max_visits + most_lanes>;

/// The first lanes of a vector; the others zero.
HWY_INLINE V first_of(V v, std::size_t active) {
  return hn::IfThenElseZero(hn::FirstN(D(), active), v);
}

/// Calls visit(first bits, masks, how many lanes count) until it says false. Lanes that do not
/// count have a mask of zero at bit zero.
template <typename Tree, typename Visit>
HWY_INLINE bool walk(const Tree& tree, const Hash128& salted, Visit visit) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const Seeds seed = same_seed(salted);
  Visits first;
  Visits second;
  std::uint32_t* now = first.data();
  std::uint32_t* below = second.data();
  const TreePositions::Level& root = tree.positions.at(0);
  const V slice = hn::Set(d, tree.positions.root_slice());
  for (std::uint32_t j = 0; j < root.k; j += static_cast<std::uint32_t>(lanes)) {
    std::size_t active = std::min<std::size_t>(lanes, root.k - j);
    const V index = hn::Iota(d, j);
    V bit = hn::Add(remainder(words(seed, index), root.modulus), hn::Mul(index, slice));
    bit = first_of(bit, active);
    hn::StoreU(bit, d, now + j);
    if (!visit(bit, first_of(hn::Set(d, 1), active), active)) return false;
  }
  std::size_t filters = root.k;
  for (std::size_t level = 1; level < tree.offsets.size(); ++level) {
    const TreePositions::Level& here = tree.positions.at(level);
    const V m = hn::Set(d, here.bits);
    const V offset = hn::Set(d, static_cast<std::uint32_t>(tree.offsets[level]));
    std::uint32_t* found = below;
    for (std::size_t i = 0; i < filters; i += lanes) {
      std::size_t active = std::min(lanes, filters - i);
      const V filter = first_of(hn::LoadU(d, now + i), active);
      V fraction = words(seed, hn::Add(filter, hn::Set(d, here.first_word)));
      const V start = hn::Mul(filter, m);
      V mask = hn::Zero(d);
      for (std::uint32_t j = 0; j < here.k; ++j) {
        const V digit = high_product(fraction, m);
        mask = hn::Or(mask, hn::Shl(hn::Set(d, 1), digit));
        hn::StoreU(hn::Add(start, digit), d, found);  // the next one overwrites idle lanes
        found += active;
        fraction = hn::Mul(fraction, m);
      }
      if (!visit(first_of(hn::Add(start, offset), active), first_of(mask, active), active)) {
        return false;
      }
    }
    filters *= here.k;
    std::swap(now, below);
  }
  return true;
}

/// Where 32 bits that hold a filter begin: at a byte, and not past the array's end.
HWY_INLINE V byte_of(V bit, std::size_t bytes) {
  return hn::Min(hn::ShiftRight<3>(bit), hn::Set(D(), static_cast<std::uint32_t>(bytes - 4)));
}

/// ORs each lane's mask into the tree.
HWY_INLINE void set_bits(const TreeBits<std::uint64_t>& tree, V bit, V mask, std::size_t active) {
  const D d;
  alignas(64) std::uint32_t from[most_lanes];
  alignas(64) std::uint32_t set[most_lanes];
  const V byte = byte_of(bit, tree.words.size_bytes());
  hn::Store(byte, d, from);
  hn::Store(hn::Shl(mask, hn::Sub(bit, hn::ShiftLeft<3>(byte))), d, set);
  auto* bytes = reinterpret_cast<std::uint8_t*>(tree.words.data());
  for (std::size_t i = 0; i < active; ++i) {
    std::uint32_t word;
    std::memcpy(&word, bytes + from[i], 4);
    word |= set[i];
    std::memcpy(bytes + from[i], &word, 4);
  }
}

/// The bits of each lane's mask that are zero in the tree.
HWY_INLINE V missing_bits(const TreeBits<const std::uint64_t>& tree, V bit, V mask) {
  const D d;
  const auto* base = reinterpret_cast<const std::uint32_t*>(tree.words.data());
  const V byte = byte_of(bit, tree.words.size_bytes());
  const V word = hn::GatherOffset(d, base, hn::BitCast(hn::RebindToSigned<D>(), byte));
  return hn::AndNot(hn::Shr(word, hn::Sub(bit, hn::ShiftLeft<3>(byte))), mask);
}

/// An element in each lane: one filter of each and all that is below, as far as visit(first bits,
/// masks) says true.
template <typename Tree, typename Visit>
bool descend(const Tree& tree, const Seeds& seed, std::size_t level, V filter, const Visit& visit) {
  const D d;
  const TreePositions::Level& here = tree.positions.at(level);
  const V m = hn::Set(d, here.bits);
  const V start = hn::Mul(filter, m);
  V fraction = words(seed, hn::Add(filter, hn::Set(d, here.first_word)));
  V mask = hn::Zero(d);
  V children[BloomTreeShape::max_k];
  for (std::uint32_t j = 0; j < here.k; ++j) {
    const V digit = high_product(fraction, m);
    mask = hn::Or(mask, hn::Shl(hn::Set(d, 1), digit));
    children[j] = hn::Add(start, digit);
    fraction = hn::Mul(fraction, m);
  }
  const V offset = hn::Set(d, static_cast<std::uint32_t>(tree.offsets[level]));
  if (!visit(hn::Add(start, offset), mask)) return false;
  if (level + 1 == tree.offsets.size()) return true;
  for (std::uint32_t j = 0; j < here.k; ++j) {
    if (!descend(tree, seed, level + 1, children[j], visit)) return false;
  }
  return true;
}

/// The same for whole trees; the root's bits first, as they turn most strangers away.
template <typename Tree, typename Visit>
HWY_INLINE void walk_many(const Tree& tree, const Hash128* salted, const Visit& visit) {
  const D d;
  const Seeds seed = load_seeds(salted);
  const TreePositions::Level& root = tree.positions.at(0);
  V bits[BloomTreeShape::max_k];
  for (std::uint32_t j = 0; j < root.k; ++j) {
    const V place = remainder(words(seed, hn::Set(d, j)), root.modulus);
    bits[j] = hn::Add(place, hn::Set(d, j * tree.positions.root_slice()));
    if (!visit(bits[j], hn::Set(d, 1))) return;
  }
  if (tree.offsets.size() == 1) return;
  for (std::uint32_t j = 0; j < root.k; ++j) {
    if (!descend(tree, seed, 1, bits[j], visit)) return;
  }
}

/// Calls each(salted elements, how many came before) for one vector full after another; returns how
/// many there were.
template <typename Each>
HWY_INLINE std::size_t each_vector(const TreePositions& positions,
                                   std::span<const Hash128> elements, const Each& each) {
  const std::size_t lanes = hn::Lanes(D());
  alignas(64) Hash128 salted[most_lanes];
  std::size_t done = 0;
  for (; done + lanes <= elements.size(); done += lanes) {
    for (std::size_t i = 0; i < lanes; ++i) salted[i] = positions.salted(elements[done + i]);
    each(salted, done);
  }
  return done;
}

void insert(const TreeBits<std::uint64_t>& tree, const Hash128& salted) {
  walk(tree, salted, [&](V bit, V mask, std::size_t active) HWY_ATTR {
    set_bits(tree, bit, mask, active);
    return true;
  });
}

bool find(const TreeBits<const std::uint64_t>& tree, const Hash128& salted) {
  return walk(tree, salted, [&](V bit, V mask, std::size_t) HWY_ATTR {
    const D d;
    return hn::AllTrue(d, hn::Eq(missing_bits(tree, bit, mask), hn::Zero(d)));
  });
}

std::size_t insert_all(const TreeBits<std::uint64_t>& tree, std::span<const Hash128> elements) {
  auto set = [&](V bit, V mask) HWY_ATTR {
    set_bits(tree, bit, mask, hn::Lanes(D()));
    return true;
  };
  return each_vector(tree.positions, elements, [&](const Hash128* salted, std::size_t) HWY_ATTR {
    walk_many(tree, salted, set);
  });
}

std::size_t find_all(const TreeBits<const std::uint64_t>& tree, std::span<const Hash128> elements,
                     bool* out) {
  return each_vector(tree.positions, elements,
                     [&](const Hash128* salted, std::size_t before) HWY_ATTR {
                       const D d;
                       V missing = hn::Zero(d);
                       walk_many(tree, salted, [&](V bit, V mask) HWY_ATTR {
                         missing = hn::Or(missing, missing_bits(tree, bit, mask));
                         return !hn::AllTrue(d, hn::Ne(missing, hn::Zero(d)));
                       });
                       alignas(64) std::uint32_t absent[most_lanes];
                       hn::Store(missing, d, absent);
                       for (std::size_t i = 0; i < hn::Lanes(d); ++i)
                         out[before + i] = absent[i] == 0;
                     });
}

#else

void insert(const TreeBits<std::uint64_t>&, const Hash128&) {}
bool find(const TreeBits<const std::uint64_t>&, const Hash128&) { return false; }
std::size_t insert_all(const TreeBits<std::uint64_t>&, std::span<const Hash128>) { return 0; }
std::size_t find_all(const TreeBits<const std::uint64_t>&, std::span<const Hash128>, bool*) {
  return 0;
}

#endif

bool wide() { return HWY_TARGET != HWY_SCALAR; }

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace beckon::filters {

HWY_EXPORT(insert);
HWY_EXPORT(find);
HWY_EXPORT(insert_all);
HWY_EXPORT(find_all);
HWY_EXPORT(wide);

bool walks_by_lanes(const BloomTreeShape& shape, const TreePositions& positions) {
  if (!HWY_DYNAMIC_DISPATCH(wide)() || shape.hashing != TreeHashing::independent) return false;
  if (shape.total_bits() >= std::uint64_t{1} << 31) return false;
  for (std::size_t level = 1; level < shape.depth(); ++level) {
    if (!positions.small(level) || shape.levels[level].bits > 24) return false;
  }
  return true;
}

void insert_by_lanes(const TreeBits<std::uint64_t>& tree, const Hash128& salted) {
  HWY_DYNAMIC_DISPATCH(insert)(tree, salted);
}

bool find_by_lanes(const TreeBits<const std::uint64_t>& tree, const Hash128& salted) {
  return HWY_DYNAMIC_DISPATCH(find)(tree, salted);
}

std::size_t insert_many(const TreeBits<std::uint64_t>& tree, std::span<const Hash128> elements) {
  return HWY_DYNAMIC_DISPATCH(insert_all)(tree, elements);
}

std::size_t find_many(const TreeBits<const std::uint64_t>& tree, std::span<const Hash128> elements,
                      bool* out) {
  return HWY_DYNAMIC_DISPATCH(find_all)(tree, elements, out);
}

}  // namespace beckon::filters
#endif
