#include "filters/position_batch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/position_batch.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// word() and Modulus::of() of filters/positions.h, lane by lane.
void compute_positions(const Hash128* elements, std::size_t count, std::uint32_t m,
                       [[maybe_unused]] std::uint32_t inverse, std::uint32_t k,
                       std::uint32_t* out) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Repartition<std::uint64_t, decltype(d)> wide;
  const std::size_t lanes = hn::Lanes(d);
  const auto modulus = hn::Set(d, m);
  const auto factor = hn::Set(d, inverse);
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> a, b, c, e;
    hn::LoadInterleaved4(d, reinterpret_cast<const std::uint32_t*>(elements + i), a, b, c, e);
    for (std::uint32_t j = 0; j < k; ++j) {
      auto x = hn::Add(a, hn::Set(d, j * 0x9e3779b9U));
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(d, 0x7feb352dU));
      x = hn::Xor(x, b);
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(d, 0x846ca68bU));
      x = hn::Add(x, c);
      x = hn::Xor(hn::Xor(x, hn::ShiftRight<16>(x)), e);
      auto odd_words = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x)));
      auto even = hn::ShiftRight<32>(hn::MulEven(x, factor));
      auto odd = hn::MulEven(odd_words, factor);
      auto quotient = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, even));
      auto rest = hn::Sub(x, hn::Mul(quotient, modulus));
      rest = hn::Min(rest, hn::Sub(rest, modulus));  // rest < m: the difference wraps
      hn::StoreU(rest, d, out + j * count + i);
    }
  }
#endif
  Modulus scalar(m);
  for (; i < count; ++i) {
    for (std::uint32_t j = 0; j < k; ++j) out[j * count + i] = scalar.of(word(elements[i], j));
  }
}

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace beckon::filters {

HWY_EXPORT(compute_positions);

void PositionBatch::compute(std::span<const Hash128> elements) {
  ENSURE(elements.size() <= capacity);
  count_ = elements.size();
  HWY_DYNAMIC_DISPATCH(compute_positions)
  (elements.data(), count_, modulus_.value(), modulus_.inverse(), k_, at_.data());
}

}  // namespace beckon::filters
#endif
