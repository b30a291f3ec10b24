#include "filters/position_batch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/position_batch.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef BECKON_POSITION_BATCH_SHAPE
#define BECKON_POSITION_BATCH_SHAPE
namespace beckon::filters {
struct BatchShape {
  std::uint32_t m;  // counters, or blocks
  std::uint32_t inverse;
  std::uint32_t k;
  std::uint32_t block;
  std::uint32_t each;
  unsigned place_bits;
};
}  // namespace beckon::filters
#endif

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using D = hn::ScalableTag<std::uint32_t>;
using V = hn::Vec<D>;

/// The four words of as many elements as there are lanes.
struct Seeds {
  V a, b, c, e;
};

/// word() of filters/positions.h, lane by lane.
HWY_INLINE V words(const Seeds& seed, std::uint32_t j) {
  const D d;
  V x = hn::Add(seed.a, hn::Set(d, j * 0x9e3779b9U));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(d, 0x7feb352dU));
  x = hn::Xor(x, seed.b);
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(d, 0x846ca68bU));
  x = hn::Add(x, seed.c);
  return hn::Xor(hn::Xor(x, hn::ShiftRight<16>(x)), seed.e);
}

/// Modulus::of(), lane by lane.
HWY_INLINE V remainder(V x, const BatchShape& shape) {
  const D d;
  const hn::Repartition<std::uint64_t, D> wide;
  const V factor = hn::Set(d, shape.inverse);
  const V modulus = hn::Set(d, shape.m);
  V odd_words = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x)));
  auto even = hn::ShiftRight<32>(hn::MulEven(x, factor));
  auto odd = hn::MulEven(odd_words, factor);
  V quotient = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, even));
  V rest = hn::Sub(x, hn::Mul(quotient, modulus));
  return hn::Min(rest, hn::Sub(rest, modulus));  // rest < m: the difference wraps
}

#endif

/// As many elements as fit into whole vectors; returns how many that were.
std::size_t compute_positions(const Hash128* elements, std::size_t count, const BatchShape& shape,
                              std::uint32_t* out) {
  std::size_t i = 0;
#if HWY_TARGET == HWY_SCALAR
  (void)elements, (void)count, (void)shape, (void)out;
#else
  const D d;
  const V mask = hn::Set(d, shape.block - 1);
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    Seeds seed;
    hn::LoadInterleaved4(d, reinterpret_cast<const std::uint32_t*>(elements + i), seed.a, seed.b,
                         seed.c, seed.e);
    if (shape.block == 0) {
      for (std::uint32_t j = 0; j < shape.k; ++j) {
        hn::StoreU(remainder(words(seed, j), shape), d, out + j * count + i);
      }
      continue;
    }
    const V base = hn::Mul(remainder(words(seed, 0), shape), hn::Set(d, shape.block));
    for (std::uint32_t j = 0, index = 0; j < shape.k; ++index) {
      V bits = words(seed, index + 1);
      for (std::uint32_t n = 0; n < shape.each && j < shape.k; ++n, ++j) {
        hn::StoreU(hn::Add(base, hn::And(bits, mask)), d, out + j * count + i);
        bits = hn::ShiftRightSame(bits, static_cast<int>(shape.place_bits));
      }
    }
  }
#endif
  return i;
}

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace beckon::filters {

HWY_EXPORT(compute_positions);

void PositionBatch::compute(std::span<const Hash128> elements) {
  ENSURE(elements.size() <= capacity);
  count_ = elements.size();
  const Modulus& modulus = placement_.modulus();
  BatchShape shape{.m = modulus.value(),
                   .inverse = modulus.inverse(),
                   .k = placement_.k(),
                   .block = placement_.block(),
                   .each = placement_.places_per_word(),
                   .place_bits = placement_.place_bits()};
  std::size_t i =
      HWY_DYNAMIC_DISPATCH(compute_positions)(elements.data(), count_, shape, at_.data());
  for (; i < count_; ++i) {
    Positions single = placement_.of(elements[i]);
    for (std::uint32_t j = 0; j < shape.k; ++j) at_[j * count_ + i] = single.begin()[j];
  }
}

}  // namespace beckon::filters
#endif
