// SPDX-License-Identifier: MIT
#include "filters/spectral/spectral.h"

#include <algorithm>
#include <bit>

#include "filters/spectral/count_lines.h"
#include "filters/spectral/position_batch.h"

namespace beckon::filters {

namespace {

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? max_count : std::min(out, max_count);
}

}  // namespace

Result<SpectralShape> SpectralShape::folded(std::uint32_t to) const {
  if (to == 0 || counters % to != 0) {
    return invalid(std::to_string(to) + " counters do not divide " + std::to_string(counters));
  }
  SpectralShape out = *this;
  out.counters = to;
  auto checked = out.check();
  if (!checked) return checked.error();
  return out;
}

Result<void> SpectralShape::check() const {
  if (counters < 2 || counters > max_counters) {
    return invalid("a spectral filter has 2 to 2^30 counters, got " + std::to_string(counters));
  }
  if (k < 1 || k > max_k) {
    return invalid("a spectral filter has 1 to 32 positions, got " + std::to_string(k));
  }
  if (block != 0 && (block < 64 || block > 65536 || !std::has_single_bit(block) ||
                     counters % block != 0 || counters / block < 2)) {
    return invalid("a block is a power of two, 64 to 65536, and at least two make up the filter");
  }
  if (block == Placement::line && k > Placement::line_places) {
    return invalid("blocks of 64 take 1 to 10 positions, got " + std::to_string(k));
  }
  return {};
}

SpectralFilter::SpectralFilter(const SpectralShape& shape)
    : shape_(shape), placement_(shape), counters_(shape.counters) {}

Result<SpectralFilter> SpectralFilter::make(const SpectralShape& shape) {
  auto checked = shape.check();
  if (!checked) return checked.error();
  return SpectralFilter(shape);
}

void SpectralFilter::insert(const Hash128& element, std::uint64_t count) {
  for (std::uint32_t at : positions_of(element)) counters_.add(at, count);
  total_ = count_up(total_, count);
}

void SpectralFilter::insert_all(std::span<const std::string_view> texts) {
  if (placement_.by_line()) {
    std::size_t done = count_lines(placement_, texts, shape_.salt, counters_);
    total_ = count_up(total_, done);
    texts = texts.subspan(done);
  }
  std::array<Hash128, 4 * PositionBatch::capacity> elements;
  while (!texts.empty()) {
    std::size_t count = std::min(elements.size(), texts.size());
    for (std::size_t i = 0; i < count; ++i) elements[i] = shape_.element(texts[i]);
    insert_all(std::span<const Hash128>(elements.data(), count));
    texts = texts.subspan(count);
  }
}

void SpectralFilter::insert_all(std::span<const Hash128> elements) {
  if (placement_.by_line()) {
    std::size_t done = count_lines(placement_, elements, counters_);
    total_ = count_up(total_, done);
    for (const Hash128& element : elements.subspan(done)) insert(element);
    return;
  }
  // Two batches in flight: while one is counted, the lines of the next are on their way.
  constexpr std::size_t batch = PositionBatch::capacity;
  PositionBatch now(placement_);
  PositionBatch next(placement_);
  auto fetch = [&](PositionBatch& into, std::size_t from) {
    std::size_t count = from < elements.size() ? std::min(batch, elements.size() - from) : 0;
    into.compute(elements.subspan(std::min(from, elements.size()), count));
    for (std::uint32_t at : into.all()) counters_.prefetch(at);
  };
  fetch(now, 0);
  for (std::size_t from = 0; from < elements.size(); from += batch) {
    fetch(next, from + batch);
    for (std::uint32_t at : now.all()) counters_.increment(at);
    std::swap(now, next);
  }
  total_ = count_up(total_, elements.size());
}

bool SpectralFilter::remove(const Hash128& element, std::uint64_t count) {
  if (count > total_) return false;
  Positions at = positions_of(element);
  // An element that hits one counter twice must find it there twice.
  for (std::uint32_t i : at) {
    auto hits = static_cast<std::uint64_t>(std::count(at.begin(), at.end(), i));
    if (counters_.get(i) < times(hits, count)) return false;
  }
  for (std::uint32_t i : at) counters_.subtract(i, count);
  total_ -= total_ == max_count ? 0 : count;
  return true;
}

std::uint64_t SpectralFilter::estimate(const Hash128& element) const {
  std::uint64_t least = max_count;
  for (std::uint32_t at : positions_of(element)) least = std::min(least, counters_.get(at));
  return least;
}

bool SpectralFilter::at_least(const Hash128& element, std::uint64_t threshold) const {
  Positions at = positions_of(element);
  return std::all_of(at.begin(), at.end(),
                     [&](std::uint32_t i) { return counters_.get(i) >= threshold; });
}

double SpectralFilter::unbiased(const Hash128& element, std::uint32_t groups) const {
  Positions at = positions_of(element);
  groups = std::clamp(groups, 1U, at.size());
  std::vector<double> sums(groups, 0.0);
  std::vector<double> sizes(groups, 0.0);
  for (std::uint32_t j = 0; j < at.size(); ++j) {
    sums[j % groups] += static_cast<double>(counters_.get(at[j]));
    sizes[j % groups] += 1;
  }
  double share = placement_.mean_positions() / shape_.counters;
  for (std::uint32_t g = 0; g < groups; ++g) {
    double mean = sums[g] / sizes[g];
    sums[g] = (mean - share * static_cast<double>(total_)) / (1 - std::min(share, 0.999));
  }
  std::sort(sums.begin(), sums.end());
  return (sums[(groups - 1) / 2] + sums[groups / 2]) / 2;
}

Result<void> SpectralFilter::add(const SpectralFilter& other) {
  if (shape_ != other.shape_) return invalid("only spectral filters of one shape add up");
  for (std::uint32_t i = 0; i < shape_.counters; ++i) counters_.add(i, other.counters_.get(i));
  total_ = count_up(total_, other.total_);
  return {};
}

Result<void> SpectralFilter::multiply(const SpectralFilter& other) {
  if (shape_ != other.shape_) return invalid("only spectral filters of one shape multiply");
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < shape_.counters; ++i) {
    counters_.set(i, times(counters_.get(i), other.counters_.get(i)));
    sum = count_up(sum, counters_.get(i));
  }
  total_ = static_cast<std::uint64_t>(static_cast<double>(sum) / placement_.mean_positions());
  return {};
}

Result<SpectralFilter> SpectralFilter::fold(std::uint32_t counters) const {
  auto folded = shape_.folded(counters);
  if (!folded) return folded.error();
  SpectralFilter out(*folded);
  for (std::uint32_t i = 0; i < shape_.counters; ++i) {
    std::uint64_t count = counters_.get(i);
    if (count > 0) out.counters_.add(i % counters, count);
  }
  out.total_ = total_;
  return out;
}

std::vector<std::uint64_t> SpectralFilter::values() const {
  std::vector<std::uint64_t> out(shape_.counters);
  for (std::uint32_t i = 0; i < shape_.counters; ++i) out[i] = counters_.get(i);
  return out;
}

Result<SpectralFilter> SpectralFilter::from_values(const SpectralShape& shape, std::uint64_t total,
                                                   std::span<const std::uint64_t> values) {
  auto made = make(shape);
  if (!made) return made;
  if (values.size() != shape.counters) return invalid("not as many counters as the shape says");
  for (std::uint32_t i = 0; i < shape.counters; ++i) made->counters_.set(i, values[i]);
  made->total_ = std::min(total, max_count);
  return made;
}

}  // namespace beckon::filters
