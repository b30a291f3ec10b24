// Keys in and out of BlockedBloomFilter: a block fits one or a few vectors, and the hash is
// inlined, which halves its cost for short keys. Compiled for each instruction set, chosen at run
// time; all choose the same bits.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "filters/blocked_bloom.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/blocked_bloom_keys.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Filter = BlockedBloomFilter;
using D64 = hn::CappedTag<std::uint64_t, Filter::lanes>;
using V64 = hn::Vec<D64>;

alignas(64) constexpr std::uint64_t lane_shifts[Filter::lanes] = {0, 6, 12, 18, 24, 30, 36, 42};

/// Where a key lives: the block, and 64 bits of which the top three choose the lanes and the lower
/// 48 a bit in each lane.
struct Place {
  std::size_t block;
  std::uint64_t bits;
};

template <typename Word>
HWY_INLINE std::uint64_t load(const std::uint8_t* from) {
  Word out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

/// Both halves of a 128-bit product, one laid over the other.
HWY_INLINE std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

HWY_NOINLINE std::uint64_t digest_of_long(ByteView key) {
  return XXH3_64bits(key.data(), key.size());
}

/// 64 bits of a key. Short ones, which are most, are folded by one multiplication of their two
/// (overlapping) halves: a third of what a general hash costs, and the filter needs no more.
HWY_INLINE std::uint64_t digest_of(ByteView key) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (key.size() > 16) return digest_of_long(key);
  if (key.size() >= 8) {
    first = load<std::uint64_t>(key.data());
    last = load<std::uint64_t>(key.data() + key.size() - 8);
  } else if (key.size() >= 4) {
    first = load<std::uint32_t>(key.data());
    last = load<std::uint32_t>(key.data() + key.size() - 4);
  } else if (!key.empty()) {
    first = key[0] | std::uint64_t{key[key.size() / 2]} << 8;
    last = key.back();
  }
  return fold(first ^ 0xa0761d6478bd642fULL, last ^ 0xe7037ed1a0b428dbULL) ^ key.size();
}

/// The upper half of the digest chooses the block. The multiplication makes the bits depend on the
/// whole lower half, which keys of one block do not share.
HWY_INLINE Place place_of(ByteView key, std::size_t blocks) {
  std::uint64_t digest = digest_of(key);
  return {static_cast<std::size_t>(((digest >> 32) * blocks) >> 32),
          digest * 0x9e3779b97f4a7c15ULL};
}

/// The key's bits in some neighbouring lanes.
HWY_INLINE V64 lane_bits(std::uint64_t bits, const Filter::LaneChoices& choices, std::size_t lane) {
  const D64 d;
  V64 at = hn::And(hn::Shr(hn::Set(d, bits), hn::Load(d, lane_shifts + lane)), hn::Set(d, 63));
  V64 mask = hn::Load(d, choices.masks[bits >> 61].data() + lane);
  return hn::And(hn::Shl(hn::Set(d, 1), at), mask);
}

HWY_INLINE void set(Filter::Block& block, std::uint64_t bits, const Filter::LaneChoices& choices) {
  const D64 d;
  for (std::size_t lane = 0; lane < Filter::lanes; lane += hn::Lanes(d)) {
    std::uint64_t* words = block.words.data() + lane;
    hn::Store(hn::Or(hn::Load(d, words), lane_bits(bits, choices, lane)), d, words);
  }
}

HWY_INLINE bool test(const Filter::Block& block, std::uint64_t bits,
                     const Filter::LaneChoices& choices) {
  const D64 d;
  V64 missing = hn::Zero(d);
  for (std::size_t lane = 0; lane < Filter::lanes; lane += hn::Lanes(d)) {
    V64 words = hn::Load(d, block.words.data() + lane);
    missing = hn::Or(missing, hn::AndNot(words, lane_bits(bits, choices, lane)));
  }
  return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
}

/// Hashes some keys and fetches their blocks before the first is used.
constexpr std::size_t batch = 32;
using Places = std::array<Place, batch>;
HWY_INLINE std::size_t prepare(std::span<const ByteView> keys,
                               std::span<const Filter::Block> blocks, Places& places) {
  std::size_t count = std::min(batch, keys.size());
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = place_of(keys[i], blocks.size());
    __builtin_prefetch(&blocks[places[i].block]);
  }
  return count;
}

void insert_one(ByteView key, const Filter::LaneChoices& choices, std::span<Filter::Block> blocks) {
  Place place = place_of(key, blocks.size());
  set(blocks[place.block], place.bits, choices);
}

bool find_one(ByteView key, const Filter::LaneChoices& choices,
              std::span<const Filter::Block> blocks) {
  Place place = place_of(key, blocks.size());
  return test(blocks[place.block], place.bits, choices);
}

void insert_many(std::span<const ByteView> keys, const Filter::LaneChoices& choices,
                 std::span<Filter::Block> blocks) {
  Places places;
  for (; !keys.empty(); keys = keys.subspan(std::min(batch, keys.size()))) {
    std::size_t count = prepare(keys, blocks, places);
    for (std::size_t i = 0; i < count; ++i) set(blocks[places[i].block], places[i].bits, choices);
  }
}

void find_many(std::span<const ByteView> keys, const Filter::LaneChoices& choices,
               std::span<const Filter::Block> blocks, bool* out) {
  Places places;
  for (; !keys.empty(); keys = keys.subspan(std::min(batch, keys.size()))) {
    std::size_t count = prepare(keys, blocks, places);
    for (std::size_t i = 0; i < count; ++i) {
      *out++ = test(blocks[places[i].block], places[i].bits, choices);
    }
  }
}

Filter::Kernels kernels() {
  return {.insert_one = insert_one,
          .insert_many = insert_many,
          .find_one = find_one,
          .find_many = find_many};
}

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace beckon::filters {

HWY_EXPORT(kernels);

BlockedBloomFilter::Kernels BlockedBloomFilter::best_kernels() {
  return HWY_DYNAMIC_DISPATCH(kernels)();
}

}  // namespace beckon::filters
#endif
