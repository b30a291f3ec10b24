// SPDX-License-Identifier: MIT
#include "filters/spectral/spectral_methods.h"

#include <algorithm>

namespace beckon::filters {

namespace {

/// The element's least counter; `at` is meaningful if only one (distinct) counter holds it.
struct Minimum {
  std::uint64_t value = max_count;
  std::uint32_t at = 0;
  bool recurring = false;
};

Minimum minimum(const SpectralFilter& filter, const Hash128& element) {
  Minimum least;
  bool first = true;
  for (std::uint32_t at : filter.positions_of(element)) {
    std::uint64_t value = filter.counters().get(at);
    if (first || value < least.value) {
      least = {.value = value, .at = at, .recurring = false};
      first = false;
    } else if (value == least.value && at != least.at) {
      least.recurring = true;
    }
  }
  return least;
}

bool all_set(const BitArray& bits, const Positions& at) {
  return std::all_of(at.begin(), at.end(), [&](std::uint32_t i) { return bits.test(i); });
}

Result<std::pair<SpectralFilter, SpectralFilter>> make_pair_of(const RecurringShape& shape) {
  auto primary = SpectralFilter::make(shape.primary);
  if (!primary) return primary.error();
  SpectralShape second = shape.primary;
  second.counters = shape.secondary;
  if (second.block != 0 && shape.secondary % second.block != 0) second.block = 0;
  second.salt = ~shape.primary.salt;
  auto secondary = SpectralFilter::make(second);
  if (!secondary) return secondary.error();
  return std::pair(std::move(*primary), std::move(*secondary));
}

}  // namespace

MinimalIncrease::MinimalIncrease(const SpectralShape& shape)
    : shape_(shape), placement_(shape), counters_(shape.counters) {}

Result<MinimalIncrease> MinimalIncrease::make(const SpectralShape& shape) {
  auto checked = shape.check();
  if (!checked) return checked.error();
  return MinimalIncrease(shape);
}

void MinimalIncrease::insert(const Hash128& element, std::uint64_t count) {
  std::uint64_t least = estimate(element);
  std::uint64_t raised = count_up(least, count);
  for (std::uint32_t at : positions_of(element)) {
    if (counters_.get(at) < raised) counters_.set(at, raised);
  }
}

std::uint64_t MinimalIncrease::estimate(const Hash128& element) const {
  std::uint64_t least = max_count;
  for (std::uint32_t at : positions_of(element)) least = std::min(least, counters_.get(at));
  return least;
}

Result<void> MinimalIncrease::add(const MinimalIncrease& other) {
  if (shape_ != other.shape_) return invalid("only spectral filters of one shape add up");
  for (std::uint32_t i = 0; i < shape_.counters; ++i) counters_.add(i, other.counters_.get(i));
  return {};
}

Result<void> MinimalIncrease::multiply(const MinimalIncrease& other) {
  if (shape_ != other.shape_) return invalid("only spectral filters of one shape multiply");
  for (std::uint32_t i = 0; i < shape_.counters; ++i) {
    std::uint64_t product = 0;
    bool over = __builtin_mul_overflow(counters_.get(i), other.counters_.get(i), &product);
    counters_.set(i, over ? max_count : product);
  }
  return {};
}

Result<MinimalIncrease> MinimalIncrease::fold(std::uint32_t counters) const {
  auto folded = shape_.folded(counters);
  if (!folded) return folded.error();
  MinimalIncrease out(*folded);
  for (std::uint32_t i = 0; i < shape_.counters; ++i) {
    out.counters_.add(i % counters, counters_.get(i));
  }
  return out;
}

RecurringMinimum::RecurringMinimum(SpectralFilter primary, SpectralFilter secondary, bool marker)
    : primary_(std::move(primary)), secondary_(std::move(secondary)) {
  if (marker) marker_.emplace(primary_.shape().counters);
}

Result<RecurringMinimum> RecurringMinimum::make(const RecurringShape& shape) {
  auto pair = make_pair_of(shape);
  if (!pair) return pair.error();
  return RecurringMinimum(std::move(pair->first), std::move(pair->second), shape.marker);
}

bool RecurringMinimum::is_recurring(const Hash128& element) const {
  return minimum(primary_, element).recurring;
}

bool RecurringMinimum::marked(const Hash128& element) const {
  return marker_ && all_set(*marker_, primary_.positions_of(element));
}

void RecurringMinimum::mark(const Hash128& element) {
  for (std::uint32_t at : primary_.positions_of(element)) marker_->set(at);
}

void RecurringMinimum::insert(const Hash128& element, std::uint64_t count) {
  primary_.insert(element, count);
  if (marked(element)) return secondary_.insert(element, count);
  Minimum least = minimum(primary_, element);
  if (least.recurring) return;
  bool known = !marker_ && secondary_.estimate(element) > 0;
  secondary_.insert(element, known ? count : least.value);
  if (marker_) mark(element);
}

bool RecurringMinimum::remove(const Hash128& element, std::uint64_t count) {
  if (!primary_.remove(element, count)) return false;
  bool moved = marker_ ? marked(element) : !is_recurring(element);
  if (moved) secondary_.remove(element, std::min(count, secondary_.estimate(element)));
  return true;
}

std::uint64_t RecurringMinimum::estimate(const Hash128& element) const {
  Minimum least = minimum(primary_, element);
  bool moved = marker_ ? marked(element) : !least.recurring;
  if (!moved) return least.value;
  std::uint64_t second = secondary_.estimate(element);
  // Both are upper bounds of who truly moved, so the smaller one is as safe and closer.
  return second > 0 || marker_ ? std::min(second, least.value) : least.value;
}

TrappingRecurringMinimum::TrappingRecurringMinimum(SpectralFilter primary, SpectralFilter secondary)
    : primary_(std::move(primary)),
      secondary_(std::move(secondary)),
      marker_(primary_.shape().counters) {}

Result<TrappingRecurringMinimum> TrappingRecurringMinimum::make(const RecurringShape& shape) {
  auto pair = make_pair_of(shape);
  if (!pair) return pair.error();
  return TrappingRecurringMinimum(std::move(pair->first), std::move(pair->second));
}

bool TrappingRecurringMinimum::marked(const Hash128& element) const {
  return all_set(marker_, primary_.positions_of(element));
}

void TrappingRecurringMinimum::spring(const Hash128& element) {
  // What the element counted before this occurrence was in the counter when the trap was laid:
  // each trap springs at the first step after that.
  Minimum least = minimum(primary_, element);
  if (!least.recurring || least.value == 0 || traps_.empty()) return;
  for (std::uint32_t at : primary_.positions_of(element)) {
    auto trap = traps_.find(at);
    if (trap == traps_.end() || trap->second == element) continue;
    std::uint64_t held = secondary_.estimate(trap->second);
    if (held > least.value) secondary_.remove(trap->second, least.value);
    traps_.erase(trap);
  }
}

void TrappingRecurringMinimum::insert(const Hash128& element, std::uint64_t count) {
  bool moved = marked(element);
  if (!moved) spring(element);
  primary_.insert(element, count);
  if (moved) return secondary_.insert(element, count);
  Minimum least = minimum(primary_, element);
  if (least.recurring) return;
  secondary_.insert(element, least.value);
  for (std::uint32_t at : primary_.positions_of(element)) marker_.set(at);
  traps_.insert_or_assign(least.at, element);
}

std::uint64_t TrappingRecurringMinimum::estimate(const Hash128& element) const {
  std::uint64_t first = primary_.estimate(element);
  return marked(element) ? std::min(first, secondary_.estimate(element)) : first;
}

}  // namespace beckon::filters
