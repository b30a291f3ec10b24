// SPDX-License-Identifier: MIT
// set_positions() of positions.h, many words at a time. Compiled once for each instruction set
// (this file includes itself through foreach_target.h); the best one the machine has is chosen at
// run time. The result is the same everywhere: word() and Modulus of positions.h are the
// definition.
#include <algorithm>
#include <array>
#include <bit>

#include "filters/bits/positions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/bits/set_positions.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void set_in_map(std::span<const Hash128> seeds, std::uint32_t k, const Modulus& m,
                std::span<std::uint64_t> bits) {
  set_each_position(seeds, k, m, bits);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using D32 = hn::ScalableTag<std::uint32_t>;
using V32 = hn::Vec<D32>;

/// word() in every lane; `steps` are the counters times the step.
HWY_INLINE V32 words(const Hash128& seed, V32 steps) {
  const D32 d32;
  V32 x = hn::Add(hn::Set(d32, static_cast<std::uint32_t>(seed.low)), steps);
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(d32, 0x7feb352dU));
  x = hn::Xor(x, hn::Set(d32, static_cast<std::uint32_t>(seed.low >> 32)));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(d32, 0x846ca68bU));
  x = hn::Add(x, hn::Set(d32, static_cast<std::uint32_t>(seed.high)));
  V32 last = hn::Set(d32, static_cast<std::uint32_t>(seed.high >> 32));
  return hn::Xor(hn::Xor(x, hn::ShiftRight<16>(x)), last);
}

/// Modulus::of in every lane: the upper halves of 32 x 32 bit products come from even and odd lanes
/// in turn.
HWY_INLINE V32 reduce(V32 word, V32 m, V32 inverse) {
  const D32 d32;
  const hn::Repartition<std::uint64_t, D32> d64;
  auto even = hn::ShiftRight<32>(hn::MulEven(word, inverse));
  auto odd = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(hn::BitCast(d64, word))), inverse);
  V32 quotient = hn::OddEven(hn::BitCast(d32, odd), hn::BitCast(d32, even));
  V32 rest = hn::Sub(word, hn::Mul(quotient, m));
  return hn::Min(rest, hn::Sub(rest, m));  // the second wraps to a large number unless rest >= m
}

/// One byte per position, all 0 or 0xff, becomes one bit per position.
HWY_INLINE void gather_bits(const std::uint8_t* map, std::span<std::uint64_t> bits) {
  const hn::CappedTag<std::int8_t, 64> d8;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::array<std::uint8_t, 8> packed{};
    for (std::size_t at = 0; at < 64; at += hn::Lanes(d8)) {
      auto bytes = hn::Load(d8, reinterpret_cast<const std::int8_t*>(map + i * 64 + at));
      hn::StoreMaskBits(d8, hn::Lt(bytes, hn::Zero(d8)), packed.data() + at / 8);
    }
    bits[i] |= std::bit_cast<std::uint64_t>(packed);
  }
}

constexpr std::size_t max_map = 1536;
constexpr std::uint32_t nowhere = max_map;  // where lanes beyond k go

/// Positions of the seeds on their way from vectors to the map: a seed's are read `ahead` seeds
/// after they were written, or each read would wait for the whole computation before it.
constexpr std::size_t ahead = 8;
constexpr std::size_t lanes = hn::MaxLanes(D32());
struct alignas(64) Waiting {
  std::uint32_t positions[ahead][lanes];
};

/// All lanes are stored, so that no loop depends on k.
HWY_INLINE void mark(const std::uint32_t* positions, std::uint8_t* map) {
  for (std::size_t i = 0; i < lanes; ++i) map[positions[i]] = 0xff;
}

/// Positions go to a map of bytes first: storing a byte waits for nothing, while setting a bit must
/// read what the bit before has just written.
template <typename Reduce>
HWY_INLINE void fill_map(std::span<const Hash128> seeds, std::uint32_t k, Reduce reduce,
                         std::uint8_t* map) {
  const D32 d32;
  const V32 step = hn::Set(d32, 0x9e3779b9U);
  Waiting waiting;
  for (std::uint32_t j = 0; j < k; j += lanes) {
    const V32 steps = hn::Mul(hn::Iota(d32, j), step);
    const auto wanted = hn::FirstN(d32, k - j);
    auto compute = [&](std::size_t i) HWY_ATTR {
      V32 reduced = reduce(words(seeds[i], steps));
      std::uint32_t* to = waiting.positions[i % ahead];
      hn::Store(hn::IfThenElse(wanted, reduced, hn::Set(d32, nowhere)), d32, to);
      asm("" : "+m"(waiting));  // really through memory: taking lanes out of a vector is slower
    };
    std::size_t early = std::min(ahead, seeds.size());
    for (std::size_t i = 0; i < early; ++i) compute(i);
    for (std::size_t i = early; i < seeds.size(); ++i) {
      mark(waiting.positions[i % ahead], map);
      compute(i);
    }
    for (std::size_t i = seeds.size() - early; i < seeds.size(); ++i) {
      mark(waiting.positions[i % ahead], map);
    }
  }
}

void set_in_map(std::span<const Hash128> seeds, std::uint32_t k, const Modulus& m,
                std::span<std::uint64_t> bits) {
  const D32 d32;
  alignas(64) std::uint8_t map[max_map + 64];
  std::fill_n(map, bits.size() * 64, std::uint8_t{0});
  if (std::has_single_bit(m.value())) {
    const V32 mask = hn::Set(d32, m.value() - 1);
    fill_map(
        seeds, k, [mask](V32 word) HWY_ATTR { return hn::And(word, mask); }, map);
  } else {
    const V32 modulus = hn::Set(d32, m.value());
    const V32 inverse = hn::Set(d32, m.inverse());
    fill_map(
        seeds, k, [=](V32 word) HWY_ATTR { return reduce(word, modulus, inverse); }, map);
  }
  gather_bits(map, bits);
}

#endif

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace beckon::filters {

HWY_EXPORT(set_in_map);

namespace {

constexpr std::size_t max_mapped_bits = 1536;
constexpr std::size_t worth_a_map = 64;  // positions; fewer are set one by one

}  // namespace

void set_positions(std::span<const Hash128> seeds, std::uint32_t k, const Modulus& m,
                   std::span<std::uint64_t> bits) {
  if (m.value() <= max_mapped_bits && seeds.size() * k >= worth_a_map) {
    return HWY_DYNAMIC_DISPATCH(set_in_map)(seeds, k, m, bits);
  }
  set_each_position(seeds, k, m, bits);
}

}  // namespace beckon::filters
#endif
