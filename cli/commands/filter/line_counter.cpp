// SPDX-License-Identifier: MIT
#include "cli/commands/filter/line_counter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "filters/spectral/spectral_codec.h"
#include "filters/spectral/spectral_methods.h"
#include "filters/spectral/spectral_model.h"

namespace beckon::cli {

using filters::SpectralShape;

class LineCounter::Method {
 public:
  virtual ~Method() = default;
  virtual void insert(std::span<const Hash128> elements) = 0;
  virtual std::uint64_t estimate(const Hash128& element) const = 0;
  virtual const filters::CounterArray& counters() const = 0;  // of the first filter
  virtual const filters::SpectralFilter* plain() const = 0;   // of minimum selection; else null
};

namespace {

constexpr std::size_t batch = 256;

template <typename Filter>
class MethodOf final : public LineCounter::Method {
 public:
  explicit MethodOf(Filter filter) : filter_(std::move(filter)) {}
  void insert(std::span<const Hash128> elements) override {
    if constexpr (requires { filter_.insert_all(elements); }) {
      filter_.insert_all(elements);
    } else {
      for (const Hash128& element : elements) filter_.insert(element);
    }
  }
  std::uint64_t estimate(const Hash128& element) const override {
    return filter_.estimate(element);
  }
  const filters::CounterArray& counters() const override {
    if constexpr (requires { filter_.primary(); }) {
      return filter_.primary().counters();
    } else {
      return filter_.counters();
    }
  }
  const filters::SpectralFilter* plain() const override {
    if constexpr (std::is_same_v<Filter, filters::SpectralFilter>) return &filter_;
    return nullptr;
  }

 private:
  Filter filter_;
};

template <typename Filter>
Result<std::unique_ptr<LineCounter::Method>> method_of(Result<Filter> filter) {
  if (!filter) return filter.error();
  return std::unique_ptr<LineCounter::Method>(
      std::make_unique<MethodOf<Filter>>(std::move(*filter)));
}

Hash128 element_of(std::string_view line) { return SpectralShape{}.element(line); }

/// Counters cost a byte each until they pass 255; recurring minimum has a second filter of half
/// the counters, and a bit for each of the first.
std::uint64_t bits_per_counter(const std::string& method) {
  return method == "ms" || method == "mi" ? 8 : 13;
}

}  // namespace

LineCounter::LineCounter(const LineCounterOptions& options, std::unique_ptr<Method> method,
                         std::uint64_t counters)
    : options_(options), method_(std::move(method)), counters_(counters), pending_(batch) {}
LineCounter::LineCounter(LineCounter&&) noexcept = default;
LineCounter& LineCounter::operator=(LineCounter&&) noexcept = default;
LineCounter::~LineCounter() = default;

Result<LineCounter> LineCounter::make(const LineCounterOptions& options) {
  const std::string& method = options.method;
  std::uint64_t each = bits_per_counter(method);
  std::uint64_t most = SpectralShape::max_counters * each;
  if (options.bits < 16 * each || options.bits > most) {
    return invalid(fmt::format("--bits must be {} to {}, got {}", 16 * each, most, options.bits));
  }
  if (options.limit < 1 || options.limit > 1000000) {
    return invalid(fmt::format("--top must be 1 to 1000000, got {}", options.limit));
  }
  if (options.k < 1 || options.k > SpectralShape::max_k) {
    return invalid(fmt::format("--k must be 1 to {}, got {}", SpectralShape::max_k, options.k));
  }
  SpectralShape shape{.counters = static_cast<std::uint32_t>(options.bits / each), .k = options.k};
  filters::RecurringShape pair{.primary = shape, .secondary = shape.counters / 2};
  Result<std::unique_ptr<Method>> made =
      invalid("--method must be ms, mi, rm or trm, got '" + method + "'");
  if (method == "ms") made = method_of(filters::SpectralFilter::make(shape));
  if (method == "mi") made = method_of(filters::MinimalIncrease::make(shape));
  if (method == "rm") made = method_of(filters::RecurringMinimum::make(pair));
  if (method == "trm") made = method_of(filters::TrappingRecurringMinimum::make(pair));
  if (!made) return made.error();
  std::uint64_t counters = shape.counters + (each == 8 ? 0 : pair.secondary);
  return LineCounter(options, std::move(*made), counters);
}

Result<Bytes> LineCounter::encoded() const {
  const filters::SpectralFilter* filter = method_->plain();
  if (filter == nullptr) return invalid("--save needs --method ms: its counters say all");
  return filters::encode(*filter, filters::SpectralForm::compact);
}

Result<void> LineCounter::add(std::string_view line) {
  ++lines_;
  if (options_.exact) {
    ++exact_[std::string(line)];
    if (exact_.size() > options_.exact_limit) {
      return invalid(fmt::format("--exact keeps every distinct line and stops at {}; leave it out",
                                 options_.exact_limit));
    }
  }
  pending_[pending_count_++].assign(line);
  if (pending_count_ == batch) flush();
  return {};
}

void LineCounter::flush() {
  std::array<Hash128, batch> elements;
  for (std::size_t i = 0; i < pending_count_; ++i) elements[i] = element_of(pending_[i]);
  method_->insert({elements.data(), pending_count_});
  for (std::size_t i = 0; i < pending_count_; ++i) {
    consider(pending_[i], method_->estimate(elements[i]));
  }
  pending_count_ = 0;
}

void LineCounter::consider(std::string_view line, std::uint64_t count) {
  if (count < options_.at_least || count <= least_kept_) return;
  auto known = kept_.find(line);
  if (known != kept_.end()) {
    known->second = count;
    return;
  }
  if (options_.at_least > 0 && kept_.size() >= options_.limit) {
    overflowed_ = true;
    return;
  }
  kept_.emplace(line, count);
  if (kept_.size() > 2 * options_.limit) prune();
}

void LineCounter::prune() {
  // Only once in `limit` new lines, so cheap on average. Who falls out comes back when it occurs
  // again more often than the least of those kept: estimates are in the filter, not here.
  std::vector<std::uint64_t> counts;
  for (const auto& [line, count] : kept_) counts.push_back(count);
  auto nth = counts.begin() + static_cast<std::ptrdiff_t>(options_.limit - 1);
  std::nth_element(counts.begin(), nth, counts.end(), std::greater<>());
  std::size_t ties = options_.limit - static_cast<std::size_t>(std::count_if(
                                          counts.begin(), counts.end(),
                                          [&](std::uint64_t count) { return count > *nth; }));
  for (auto it = kept_.begin(); it != kept_.end();) {
    bool stays = it->second > *nth || (it->second == *nth && ties > 0);
    if (stays && it->second == *nth) --ties;
    it = stays ? std::next(it) : kept_.erase(it);
  }
  least_kept_ = *nth;
}

void LineCounter::finish() {
  flush();
  for (auto& [line, count] : kept_) count = method_->estimate(element_of(line));
}

std::vector<LineCounter::Row> LineCounter::rows() const {
  std::vector<Row> out;
  for (const auto& [line, count] : kept_) {
    auto exact = exact_.find(line);
    out.push_back(
        {.line = line, .count = count, .exact = exact == exact_.end() ? 0 : exact->second});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Row& a, const Row& b) { return a.count > b.count; });
  if (out.size() > options_.limit) out.resize(options_.limit);
  return out;
}

double LineCounter::crowding() const {
  const filters::CounterArray& counters = method_->counters();
  double used = 0;
  for (std::uint32_t i = 0; i < counters.size(); ++i) used += counters.get(i) > 0 ? 1 : 0;
  return std::pow(used / counters.size(), options_.k);
}

std::optional<LineCounter::Exactness> LineCounter::exactness() const {
  if (!options_.exact) return {};
  Exactness out;
  double squares = 0;
  for (const auto& [line, truth] : exact_) {
    std::uint64_t count = method_->estimate(element_of(line));
    double off = static_cast<double>(count) - static_cast<double>(truth);
    squares += off * off;
    out.wrong += count != truth ? 1 : 0;
    out.below += count < truth ? 1 : 0;
  }
  out.distinct = exact_.size();
  auto n = static_cast<double>(exact_.size());
  out.rms_error = n == 0 ? 0 : std::sqrt(squares / n);
  auto m = static_cast<double>(options_.bits / bits_per_counter(options_.method));
  out.predicted_wrong = filters::bloom_error(n, m, options_.k);
  return out;
}

}  // namespace beckon::cli
