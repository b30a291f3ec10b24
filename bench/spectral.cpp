// SPDX-License-Identifier: MIT
// How fast a spectral filter counts, and what its counters cost, beside what one would take
// otherwise. All figures of one run; ratios are of the same rounds.
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>

#include "base/rng.h"
#include "bench/harness.h"
#include "bench/sdsl_vectors.h"
#include "filters/spectral/compact_counters.h"
#include "filters/spectral/spectral_methods.h"
#include "filters/spectral/spectral_model.h"
#include "filters/spectral/string_array.h"

using namespace beckon;
using namespace beckon::filters;
using bench::keep;

namespace {

constexpr std::uint32_t counters = 7000064;       // 7 M, whole blocks of 64
constexpr std::uint32_t more_counters = 8000000;  // with these, blocks of 64 err as 7 M without do
constexpr std::uint32_t k = 5;
constexpr std::size_t distinct = 1000000;  // gamma 0.71
constexpr std::size_t updates = 3000000;   // so that 95 % of them occur

/// What is counted in practice: short texts, such as keys of values; end to end, as a stream has
/// them.
class Keys {
 public:
  explicit Keys(Rng& rng) {
    for (std::size_t i = 0; i < updates; ++i) {
      text_ += "attribute=value " + std::to_string(100000 + rng.below(distinct));
      ends_.push_back(static_cast<std::uint32_t>(text_.size()));
    }
  }
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t i) const {
    std::uint32_t from = i == 0 ? 0 : ends_[i - 1];
    return {text_.data() + from, ends_[i] - from};
  }
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < size(); ++i) visit((*this)[i]);
  }

 private:
  std::string text_;
  std::vector<std::uint32_t> ends_;
};

/// Lets unordered_map find a view without making a string of it first.
struct ViewHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// The usual counting filter, as it is usually written: k seeded hashes, each modulo m, four bits a
/// counter that stop at 15.
class FourBitFilter {
 public:
  explicit FourBitFilter(std::uint64_t m) : m_(m), bytes_(m / 2 + 1) {}
  void insert(ByteView key) {
    for (std::uint64_t j = 0; j < k; ++j) {
      std::uint64_t at = xxh3_64(key, j) % m_;
      unsigned shift = at % 2 == 0 ? 0 : 4;
      std::uint8_t& byte = bytes_[at / 2];
      if ((byte >> shift & 15) != 15) byte = static_cast<std::uint8_t>(byte + (1U << shift));
    }
  }

 private:
  std::uint64_t m_;
  std::vector<std::uint8_t> bytes_;
};

void insert_stream(SpectralFilter& filter, const Keys& keys) {
  std::array<std::string_view, 1024> texts;
  for (std::size_t from = 0; from < keys.size(); from += texts.size()) {
    std::size_t count = std::min(texts.size(), keys.size() - from);
    for (std::size_t i = 0; i < count; ++i) texts[i] = keys[from + i];
    filter.insert_all(std::span<const std::string_view>(texts.data(), count));
  }
}

double wrong_share(const SpectralFilter& filter) {
  // Each of n elements once; strangers show the Bloom error.
  Rng rng(77);
  double wrong = 0;
  for (int i = 0; i < 200000; ++i) wrong += filter.estimate({rng.next(), rng.next()}) > 0 ? 1 : 0;
  return wrong / 200000;
}

bool bench_updates() {
  Rng rng(1);
  Keys keys(rng);
  auto blocked = *SpectralFilter::make({.counters = counters, .k = k, .block = 64});
  auto roomy = *SpectralFilter::make({.counters = more_counters, .k = k, .block = 64});
  auto whole = *SpectralFilter::make({.counters = counters, .k = k});
  auto increase = *MinimalIncrease::make({.counters = counters, .k = k});
  FourBitFilter four(counters);
  std::unordered_map<std::string, std::uint32_t, ViewHash, std::equal_to<>> map;
  bench::Contest contest("update of one key: 7 M counters, k = 5, 1 M distinct keys of 22 bytes",
                         updates, 7);
  contest.add("spectral, pipelined, blocks of 64", [&] { insert_stream(blocked, keys); });
  contest.add("spectral, pipelined", [&] { insert_stream(whole, keys); });
  contest.add("spectral, one by one", [&] {
    keys.each([&](std::string_view key) { whole.insert(whole.shape().element(key)); });
  });
  contest.add("minimal increase, one by one", [&] {
    keys.each([&](std::string_view key) { increase.insert(increase.shape().element(key)); });
  });
  contest.add("4-bit counters, modulo",
              [&] { keys.each([&](std::string_view key) { four.insert(as_bytes(key)); }); });
  contest.add("std::unordered_map", [&] {
    keys.each([&](std::string_view key) {
      auto known = map.find(key);
      if (known != map.end()) {
        ++known->second;
      } else {
        map.emplace(key, 1);
      }
    });
  });
  contest.add("spectral, blocks of 64, 8 M", [&] { insert_stream(roomy, keys); });
  contest.add("(the hash of the key alone)", [&] {
    keys.each([&](std::string_view key) { keep(whole.shape().element(key).low); });
  });
  contest.run();
  contest.print();
  auto fresh = [](std::uint32_t block, std::uint32_t size = counters) {
    auto filter = *SpectralFilter::make({.counters = size, .k = k, .block = block});
    Rng elements(5);
    for (std::size_t i = 0; i < distinct; ++i) filter.insert({elements.next(), elements.next()});
    return filter;
  };
  std::printf(
      "  Bloom error at 1 M elements: whole %.4f (model %.4f), blocks of 64 %.4f, of 512 %.4f; "
      "blocks of 64 in 8 M counters %.4f\n",
      wrong_share(fresh(0)), bloom_error(distinct, counters, k), wrong_share(fresh(64)),
      wrong_share(fresh(512)), wrong_share(fresh(64, more_counters)));
  auto over = [&](std::size_t rival, std::size_t ours) {
    return contest.timing(rival).median / contest.timing(ours).median;
  };
  std::printf("  without blocks: 4-bit counters take %.1f times as long, unordered_map %.1f\n",
              over(4, 1), over(5, 1));
  std::printf("  at equal error (8 M counters in blocks): %.1f and %.1f\n", over(4, 6), over(5, 6));
  bool kept = bench::promise("4-bit counters / blocks of 64", contest.ratio(4).median, ">=", 7);
  kept &= bench::promise("unordered_map / blocks of 64", contest.ratio(5).median, ">=", 13);
  return kept;
}

double entropy(const std::vector<std::uint64_t>& values) {
  std::map<std::uint64_t, double> counts;
  for (std::uint64_t value : values) ++counts[value];
  double bits = 0;
  auto n = static_cast<double>(values.size());
  for (const auto& [value, count] : counts) bits -= count / n * std::log2(count / n);
  return bits;
}

/// Counters of a filter at gamma 0.7 whose elements occur `mean` times, geometrically.
std::vector<std::uint64_t> filter_values(double mean) {
  Rng rng(3);
  auto filter = *SpectralFilter::make({.counters = 1000000, .k = k});
  for (int i = 0; i < 140000; ++i) {
    std::uint64_t count = 1;
    while (mean > 1 && rng.real() > 1 / mean) ++count;
    filter.insert({rng.next(), rng.next()}, count);
  }
  return filter.values();
}

bool bench_counters(double mean) {
  std::vector<std::uint64_t> values = filter_values(mean);
  auto n = static_cast<double>(values.size());
  StringArray array = StringArray::of(values);
  Bytes compact = encode_compact(values, best_code(values));
  auto view = *CompactCountersView::open(compact);
  bench::DacVector dac(values);
  bench::VlcVector vlc(values);
  std::vector<std::uint32_t> order(200000);
  Rng rng(4);
  for (auto& i : order) i = static_cast<std::uint32_t>(rng.below(values.size()));
  bench::Contest contest("read of one of 1 M counters, mean count of an element " +
                             std::to_string(static_cast<int>(mean)),
                         order.size(), 9);
  auto read = [&](auto& from) {
    return [&] {
      std::uint64_t sum = 0;
      for (std::uint32_t i : order) sum += from.get(i);
      keep(sum);
    };
  };
  contest.add("string array", read(array));
  contest.add("compact, codes scanned", read(view));
  contest.add("sdsl dac_vector", read(dac));
  contest.add("sdsl vlc_vector", read(vlc));
  contest.run();
  contest.print();
  StringArray::Parts parts = array.parts();
  double ours = static_cast<double>(array.bits()) / n;
  std::printf(
      "  bits per counter: string array %.3f (counters %.3f, slack %.3f, offsets %.3f), "
      "compact %.3f,\n    dac_vector %.3f, vlc_vector %.3f, entropy %.3f\n",
      ours, static_cast<double>(parts.counters) / n, static_cast<double>(parts.slack) / n,
      static_cast<double>(parts.offsets) / n, static_cast<double>(compact.size()) * 8 / n,
      dac.bits() / n, vlc.bits() / n, entropy(values));
  return bench::promise("bits of string array / dac_vector", ours / (dac.bits() / n), "<=", 1.05);
}

void bench_growth() {
  constexpr std::uint32_t items = 1000000;
  StringArray array(items);
  Rng rng(6);
  double start = bench::cpu_nanoseconds();
  for (std::uint32_t i = 0; i < 10 * items; ++i) {
    array.add(static_cast<std::uint32_t>(rng.below(items)), 1);
  }
  std::printf(
      "\nstring array filled from nothing to a mean of 10: %.0f ns an update, %llu refreshes\n",
      (bench::cpu_nanoseconds() - start) / (10.0 * items),
      static_cast<unsigned long long>(array.refreshes()));
}

}  // namespace

int main() {
  bool kept = bench_updates();
  for (double mean : {1.0, 10.0, 100.0}) kept &= bench_counters(mean);
  bench_growth();
  return kept ? 0 : 1;
}
