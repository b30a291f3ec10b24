// SPDX-License-Identifier: MIT
#include "filters/spectral/counter_codes.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "base/hash.h"
#include "base/rng.h"
#include "filters/spectral/compact_counters.h"
#include "filters/spectral/counter_array.h"
#include "tests/filters/checksum.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/counter_codes");

namespace {

std::vector<CounterCode> codes() {
  return {CounterCode::elias(), *CounterCode::steps({0, 0}), *CounterCode::steps({1, 3}),
          *CounterCode::steps({0, 2, 4, 15})};
}

std::vector<std::uint64_t> edge_counts() {
  std::vector<std::uint64_t> out{0, 1, 2, 3, max_count, max_count - 1};
  for (unsigned i = 2; i < 63; ++i) {
    for (int d = -1; d <= 1; ++d)
      out.push_back((std::uint64_t{1} << i) + static_cast<std::uint64_t>(d));
  }
  return out;
}

/// Counters of a filter of n elements that occur `mean` times on average (geometric), gamma 0.7.
std::vector<std::uint64_t> counters_of(Rng& rng, std::size_t n, double mean) {
  std::vector<std::uint64_t> out(n * 5 * 10 / 7);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t count = 1;
    while (mean > 1 && rng.real() > 1 / mean) ++count;
    for (int j = 0; j < 5; ++j) out[rng.below(out.size())] += count;
  }
  return out;
}

double bits_each(const std::vector<std::uint64_t>& counters, const CounterCode& code) {
  double bits = 0;
  for (std::uint64_t counter : counters) bits += code.bits(counter);
  return bits / static_cast<double>(counters.size());
}

double log_counters(const std::vector<std::uint64_t>& counters) {
  double bits = 0;
  for (std::uint64_t counter : counters)
    bits += counter < 2 ? 0 : std::log2(static_cast<double>(counter));
  return bits / static_cast<double>(counters.size());
}

}  // namespace

TEST_CASE("every code reads back what it wrote, in as many bits as it says") {
  for (const CounterCode& code : codes()) {
    CAPTURE(code.name());
    BitWriter out;
    std::uint64_t expected = 0;
    for (std::uint64_t count : edge_counts()) {
      code.write(out, count);
      expected += code.bits(count);
      REQUIRE(out.size() == expected);
    }
    Bytes bytes = out.take();
    BitReader in(bytes.data(), expected);
    for (std::uint64_t count : edge_counts()) REQUIRE(code.read(in) == count);
    CHECK_FALSE(code.read(in).has_value());
  }
}

TEST_CASE("the Elias code has the paper's lengths and the example of steps its own") {
  for (std::uint64_t n : {1ULL, 2ULL, 3ULL, 7ULL, 8ULL, 1000ULL, 123456789ULL}) {
    auto log = static_cast<unsigned>(std::bit_width(n)) - 1;
    auto loglog = static_cast<unsigned>(std::bit_width(log + 1ULL)) - 1;
    CHECK(CounterCode::elias().bits(n - 1) == log + 2 * loglog + 1);
  }
  CounterCode steps = *CounterCode::steps({0, 0});
  CHECK(steps.bits(0) == 1);
  CHECK(steps.bits(1) == 2);
  CHECK(steps.bits(2) == 2 + CounterCode::elias().bits(0));
}

TEST_CASE(
    "Figure 6.5: steps are smaller for almost-sets, Elias for large averages, none below log") {
  Rng rng(1);
  CounterCode elias = CounterCode::elias();
  CounterCode steps = *CounterCode::steps({0, 0});
  auto sets = counters_of(rng, 20000, 1);
  CHECK(bits_each(sets, steps) < 0.8 * bits_each(sets, elias));
  CHECK(bits_each(sets, steps) < 1.9);
  auto many = counters_of(rng, 20000, 200);
  CHECK(bits_each(many, elias) < bits_each(many, *CounterCode::steps({0, 0, 0, 0})));
  for (const auto& counters : {sets, many}) {
    for (const CounterCode& code : codes())
      CHECK(bits_each(counters, code) > log_counters(counters));
  }
}

TEST_CASE("steps codes beyond the limits are refused") {
  CHECK_FALSE(CounterCode::steps({1, 1, 1, 1, 1}).has_value());
  CHECK_FALSE(CounterCode::steps({16}).has_value());
}

TEST_CASE("compact counters are read in place and equal what was written") {
  Rng rng(5);
  for (std::size_t size : {1UL, 63UL, 64UL, 65UL, 511UL, 512UL, 513UL, 3000UL}) {
    CAPTURE(size);
    std::vector<std::uint64_t> values(size);
    for (auto& value : values) value = rng.chance(0.5) ? 0 : rng.next() >> (1 + rng.below(63));
    for (const CounterCode& code : codes()) {
      Bytes bytes = encode_compact(values, code);
      auto view = CompactCountersView::open(bytes);
      REQUIRE(view.has_value());
      CHECK(view->values() == values);
      for (std::uint32_t i = 0; i < size; ++i) REQUIRE(view->get(i) == values[i]);
    }
  }
}

TEST_CASE("compact counters cut, changed or lying are refused") {
  Rng rng(6);
  std::vector<std::uint64_t> values(200);
  for (auto& value : values) value = rng.below(9);
  const Bytes good = encode_compact(values, *CounterCode::steps({0, 2}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    REQUIRE_FALSE(CompactCountersView::open(ByteView(good).first(size)).has_value());
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    Bytes flipped = good;
    flipped[i] ^= 0x10;
    REQUIRE_FALSE(CompactCountersView::open(flipped).has_value());
    repair_checksum(flipped);
    auto view = CompactCountersView::open(flipped);
    if (view) REQUIRE(view->values().size() == values.size());
  }
}

TEST_CASE("the compact format is frozen: golden bytes") {
  std::vector<std::uint64_t> values{0, 1, 2, 300};
  CHECK(to_hex(encode_compact(values, *CounterCode::steps({0, 0}))) ==
        "424b43430102000000000000000400000000000000170000000000000000000000000000000000000000000000"
        "00fa98150000000000000000006c742d17c1a7bc2d");
}

TEST_CASE("a counter array agrees with plain numbers through carries and saturation") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    CounterArray array(300);
    std::vector<std::uint64_t> twin(300);
    for (int step = 0; step < 30000; ++step) {
      auto i = static_cast<std::uint32_t>(rng.below(30) * rng.below(10));
      std::uint64_t by = rng.chance(0.1) ? rng.below(1000) : 1;
      if (rng.chance(0.6)) {
        by == 1 ? array.increment(i) : array.add(i, by);
        twin[i] += by;
      } else {
        array.subtract(i, by);
        twin[i] -= std::min(twin[i], by);
      }
      REQUIRE(array.get(i) == twin[i]);
    }
  }
  CounterArray full(3);
  full.set(1, max_count);
  full.increment(1);
  full.add(1, 7);
  full.subtract(1, 7);
  CHECK(full.get(1) == max_count);
  full.set(2, ~std::uint64_t{0});
  CHECK(full.get(2) == max_count);
}

TEST_SUITE_END();
