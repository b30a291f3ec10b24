// SPDX-License-Identifier: MIT
#include "filters/spectral/position_batch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/spectral/position_batch.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "filters/bits/word_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

/// As many elements as fit into whole vectors; returns how many that were.
std::size_t compute_positions(const Hash128* elements, std::size_t count,
                              const Placement& placement, std::uint32_t* out) {
  std::size_t i = 0;
#if HWY_TARGET == HWY_SCALAR
  (void)elements, (void)count, (void)placement, (void)out;
#else
  const D d;
  const std::uint32_t k = placement.k();
  const V mask = hn::Set(d, placement.block() - 1);
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const Seeds seed = load_seeds(elements + i);
    if (placement.block() == 0) {
      for (std::uint32_t j = 0; j < k; ++j) {
        const V word = words(seed, hn::Set(d, j));
        hn::StoreU(remainder(word, placement.modulus()), d, out + j * count + i);
      }
      continue;
    }
    const V base = hn::Mul(remainder(words(seed, hn::Zero(d)), placement.modulus()),
                           hn::Set(d, placement.block()));
    for (std::uint32_t j = 0, index = 0; j < k; ++index) {
      V bits = words(seed, hn::Set(d, index + 1));
      for (std::uint32_t n = 0; n < placement.places_per_word() && j < k; ++n, ++j) {
        hn::StoreU(hn::Add(base, hn::And(bits, mask)), d, out + j * count + i);
        bits = hn::ShiftRightSame(bits, static_cast<int>(placement.place_bits()));
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
  std::size_t i =
      HWY_DYNAMIC_DISPATCH(compute_positions)(elements.data(), count_, placement_, at_.data());
  for (; i < count_; ++i) {
    Positions single = placement_.of(elements[i]);
    for (std::uint32_t j = 0; j < placement_.k(); ++j) at_[j * count_ + i] = single[j];
  }
}

}  // namespace beckon::filters
#endif
