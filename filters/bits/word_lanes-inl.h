// SPDX-License-Identifier: MIT
// word() and Modulus::of() of filters/bits/positions.h for many words side by side, for files that
// Highway compiles once for each instruction set; therefore the guard, which lets it in each time.
#if defined(BECKON_WORD_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BECKON_WORD_LANES_INL_H
#undef BECKON_WORD_LANES_INL_H
#else
#define BECKON_WORD_LANES_INL_H
#endif

#include <hwy/highway.h>

#include "filters/bits/positions.h"

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using D = hn::ScalableTag<std::uint32_t>;
using V = hn::Vec<D>;

/// The four words of a seed in each lane.
struct Seeds {
  V a, b, c, e;
};

/// As many seeds as there are lanes.
HWY_INLINE Seeds load_seeds(const Hash128* elements) {
  Seeds out;
  hn::LoadInterleaved4(D(), reinterpret_cast<const std::uint32_t*>(elements), out.a, out.b, out.c,
                       out.e);
  return out;
}

/// One seed in all lanes.
HWY_INLINE Seeds same_seed(const Hash128& element) {
  const D d;
  return {hn::Set(d, static_cast<std::uint32_t>(element.low)),
          hn::Set(d, static_cast<std::uint32_t>(element.low >> 32)),
          hn::Set(d, static_cast<std::uint32_t>(element.high)),
          hn::Set(d, static_cast<std::uint32_t>(element.high >> 32))};
}

/// word(), lane by lane.
HWY_INLINE V words(const Seeds& seed, V j) {
  const D d;
  V x = hn::Add(seed.a, hn::Mul(j, hn::Set(d, 0x9e3779b9U)));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(d, 0x7feb352dU));
  x = hn::Xor(x, seed.b);
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(d, 0x846ca68bU));
  x = hn::Add(x, seed.c);
  return hn::Xor(hn::Xor(x, hn::ShiftRight<16>(x)), seed.e);
}

/// The upper halves of 64-bit products.
HWY_INLINE V high_product(V x, V factor) {
  const D d;
  const hn::Repartition<std::uint64_t, D> wide;
  V odd_words = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x)));
  auto even = hn::ShiftRight<32>(hn::MulEven(x, factor));
  auto odd = hn::MulEven(odd_words, factor);  // factors are the same in all lanes
  return hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, even));
}

/// Modulus::of(), lane by lane.
HWY_INLINE V remainder(V x, const Modulus& by) {
  const D d;
  const V modulus = hn::Set(d, by.value());
  V quotient = high_product(x, hn::Set(d, by.inverse()));
  V rest = hn::Sub(x, hn::Mul(quotient, modulus));
  return hn::Min(rest, hn::Sub(rest, modulus));  // rest < m: the difference wraps
}

#endif

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
