// SPDX-License-Identifier: MIT
#define XXH_INLINE_ALL
#include "filters/spectral/count_lines.h"

#include <xxhash.h>

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/spectral/count_lines.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first.
#include <hwy/highway.h>

#ifndef BECKON_COUNT_LINES_SOURCES
#define BECKON_COUNT_LINES_SOURCES
namespace beckon::filters {

struct HashedSource {
  std::span<const Hash128> elements;
  std::size_t size() const { return elements.size(); }
};

struct TextSource {
  std::span<const std::string_view> texts;
  std::uint64_t salt;
  std::size_t size() const { return texts.size(); }
};

}  // namespace beckon::filters
#endif

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using D = hn::ScalableTag<std::uint64_t>;
using V = hn::Vec<D>;
constexpr std::size_t batch = 16;  // elements, two or more vectors

/// A batch of elements, by halves.
struct Elements {
  alignas(64) std::uint64_t low[batch];
  alignas(64) std::uint64_t high[batch];
};

/// The line of each, and its places in it as bits.
struct Hits {
  alignas(64) std::uint64_t lines[batch];
  alignas(64) std::uint64_t places[batch];
};

/// Placement::of() for placements by line, lane by lane.
HWY_INLINE void find_hits(const Elements& elements, const Placement& placement, Hits& out) {
  const D d;
  const hn::Repartition<std::uint32_t, D> d32;
  const V modulus = hn::Set(d, placement.modulus().value());
  const V inverse = hn::Set(d, placement.modulus().inverse());
  const auto product = [&](V a, V b) {
    return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
  };
  for (std::size_t i = 0; i < batch; i += hn::Lanes(d)) {
    const V word = hn::ShiftRight<32>(hn::Load(d, elements.low + i));
    const V rest = hn::Sub(word, product(hn::ShiftRight<32>(product(word, inverse)), modulus));
    hn::Store(hn::Min(rest, hn::Sub(rest, modulus)), d, out.lines + i);
    V bits = hn::Load(d, elements.high + i);
    V places = hn::Zero(d);
    for (std::uint32_t j = 0; j < placement.k(); ++j) {
      places = hn::Or(places, hn::Shl(hn::Set(d, 1), hn::And(bits, hn::Set(d, 63))));
      bits = hn::ShiftRight<6>(bits);
    }
    hn::Store(places, d, out.places + i);
  }
}

/// Counts a batch up, each element in its line; carries are rare.
HWY_INLINE void count_up(const Hits& hits, CounterArray& counters) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  for (std::size_t i = 0; i < batch; ++i) {
    auto at = static_cast<std::uint32_t>(hits.lines[i]);
    std::uint8_t* line = counters.line(at);
    const auto* places = reinterpret_cast<const std::uint8_t*>(hits.places + i);
    for (std::uint32_t from = 0; from < 64; from += lanes) {
      auto more = hn::IfThenElseZero(hn::LoadMaskBits(d, places + from / 8), hn::Set(d, 1));
      auto sum = hn::Add(hn::Load(d, line + from), more);
      hn::Store(sum, d, line + from);
      auto over = hn::Lt(sum, more);
      if (HWY_LIKELY(hn::AllFalse(d, over))) continue;
      std::uint64_t bits = 0;
      hn::StoreMaskBits(d, over, reinterpret_cast<std::uint8_t*>(&bits));
      for (; bits != 0; bits &= bits - 1) {
        counters.carry(at * 64 + from + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }
}

/// Takes a batch from the source. In between, line by line, asks for the lines of the batch before:
/// asked for all at once they would be more than a processor can wait for.
HWY_NOINLINE __attribute__((flatten)) void load(const TextSource& source, std::size_t from,
                                                const Hits& before, const CounterArray& counters,
                                                Elements& out) {
  for (std::size_t i = 0; i < batch; ++i) {
    std::string_view text = source.texts[from + i];
    Hash128 element =
        SpectralShape::widened(XXH3_64bits_withSeed(text.data(), text.size(), source.salt));
    out.low[i] = element.low;
    out.high[i] = element.high;
    counters.prefetch_line(static_cast<std::uint32_t>(before.lines[i]));
  }
}

HWY_INLINE void load(const HashedSource& source, std::size_t from, const Hits& before,
                     const CounterArray& counters, Elements& out) {
  for (std::size_t i = 0; i < batch; ++i) {
    out.low[i] = source.elements[from + i].low;
    out.high[i] = source.elements[from + i].high;
    counters.prefetch_line(static_cast<std::uint32_t>(before.lines[i]));
  }
}

#endif

template <typename Source>
std::size_t count_all(const Placement& placement, const Source& source, CounterArray& counters) {
#if HWY_TARGET == HWY_SCALAR
  (void)placement, (void)source, (void)counters;
  return 0;
#else
  const std::size_t batches = source.size() / batch;
  Elements elements;
  Hits hits[2] = {};
  for (std::size_t b = 0; b < batches; ++b) {
    load(source, b * batch, hits[(b + 1) % 2], counters, elements);
    if (b >= 2) count_up(hits[b % 2], counters);
    find_hits(elements, placement, hits[b % 2]);
  }
  if (batches >= 2) count_up(hits[batches % 2], counters);
  if (batches >= 1) count_up(hits[(batches + 1) % 2], counters);
  return batches * batch;
#endif
}

std::size_t count_hashed(const Placement& placement, const HashedSource& source,
                         CounterArray& counters) {
  return count_all(placement, source, counters);
}
std::size_t count_texts(const Placement& placement, const TextSource& source,
                        CounterArray& counters) {
  return count_all(placement, source, counters);
}

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace beckon::filters {

HWY_EXPORT(count_hashed);
HWY_EXPORT(count_texts);

std::size_t count_lines(const Placement& placement, std::span<const Hash128> elements,
                        CounterArray& counters) {
  ENSURE(placement.by_line());
  return HWY_DYNAMIC_DISPATCH(count_hashed)(placement, HashedSource{elements}, counters);
}

std::size_t count_lines(const Placement& placement, std::span<const std::string_view> texts,
                        std::uint64_t salt, CounterArray& counters) {
  ENSURE(placement.by_line());
  return HWY_DYNAMIC_DISPATCH(count_texts)(placement, TextSource{texts, salt}, counters);
}

}  // namespace beckon::filters
#endif
