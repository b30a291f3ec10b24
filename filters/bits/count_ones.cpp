// SPDX-License-Identifier: MIT
// BitArray::count(), compiled for each instruction set and chosen at run time: without the
// processor's own instruction a word takes some ten times as long.
#include <bit>

#include "filters/bits/bit_array.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/bits/count_ones.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

std::size_t count_ones(std::span<const std::uint64_t> words) {
  std::size_t ones = 0;
  for (std::uint64_t word : words) ones += static_cast<std::size_t>(std::popcount(word));
  return ones;
}

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace beckon::filters {

HWY_EXPORT(count_ones);

std::size_t BitArray::count() const { return HWY_DYNAMIC_DISPATCH(count_ones)(words_); }

}  // namespace beckon::filters
#endif
