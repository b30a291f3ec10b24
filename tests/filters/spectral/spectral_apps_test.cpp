// SPDX-License-Identifier: MIT
#include "filters/spectral/spectral_apps.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "filters/spectral/range_tree.h"
#include "filters/spectral/spectral_methods.h"
#include "tests/filters/spectral/multiset.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/spectral_apps");

namespace {

std::size_t heavy_in(const ExactCounts& counts, std::uint64_t t) {
  return static_cast<std::size_t>(
      std::count_if(counts.begin(), counts.end(), [&](const auto& c) { return c.second >= t; }));
}

}  // namespace

TEST_CASE("an iceberg query finds all heavy elements at any threshold, and few others") {
  Rng rng(1);
  ZipfStream data(rng, 2000, 50000, 1);
  auto filter = *SpectralFilter::make({.counters = 14000, .k = 5});
  auto careful = *MinimalIncrease::make({.counters = 14000, .k = 5});
  filter.insert_all(data.stream);
  for (const Hash128& element : data.stream) careful.insert(element);
  for (std::uint64_t t : {2ULL, 10ULL, 57ULL, 500ULL, 100000ULL}) {
    CAPTURE(t);
    ElementSet found;
    for (std::size_t i : iceberg(filter, data.stream, t)) {
      CHECK(found.insert(data.stream[i]).second);
    }
    for (const auto& [element, truth] : data.counts) {
      if (truth >= t) REQUIRE(found.count(element) == 1);
    }
    CHECK(found.size() <= heavy_in(data.counts, t) + 60);
    CHECK(iceberg(careful, data.stream, t).size() <= found.size());
  }
}

TEST_CASE(
    "several scans through filters of 1 % find all heavy elements and drop nearly all others") {
  Rng rng(2);
  ZipfStream data(rng, 20000, 100000, 1.2);
  Scan scan = [&](const std::function<void(const Hash128&)>& visit) {
    for (const Hash128& element : data.stream) visit(element);
  };
  MultiscanOptions options{.threshold = 1000, .first = {.counters = 800, .k = 2}, .stages = 3};
  auto result = multiscan_iceberg(scan, options);
  REQUIRE(result.has_value());
  CHECK(result->scans == 4);
  for (const auto& [element, truth] : data.counts) {
    if (truth >= 1000) REQUIRE(result->candidates.count(element) == 1);
  }
  CHECK(result->candidates.size() < 20 * heavy_in(data.counts, 1000));
  // Far too small: the mean counter is above the threshold, so the next stage grows.
  options.first.counters = 64;
  auto weak = multiscan_iceberg(scan, options);
  REQUIRE(weak.has_value());
  CHECK(weak->sizes[1] == 128);
  options.first.k = 0;
  CHECK_FALSE(multiscan_iceberg(scan, options).has_value());
}

TEST_CASE("a spectral Bloomjoin misses no row and counts never too low") {
  Rng rng(3);
  ZipfStream keys(rng, 3000, 1, 0);
  std::vector<Hash128> r(keys.elements.begin(), keys.elements.begin() + 1000);  // one-to-many
  ExactCounts s_counts;
  SpectralShape shape{.counters = 20000, .k = 5};
  auto fr = *SpectralFilter::make(shape);
  auto fs = *SpectralFilter::make(shape);
  fr.insert_all(r);
  for (int i = 0; i < 6000; ++i) {
    const Hash128& element = keys.elements[500 + rng.below(2500)];
    fs.insert(element);
    ++s_counts[element];
  }
  for (std::uint64_t t : {1ULL, 4ULL}) {
    auto rows = bloomjoin(fr, fs, r, t);
    REQUIRE(rows.has_value());
    std::size_t exact = 0;
    for (const Hash128& element : r) exact += s_counts.count(element) && s_counts[element] >= t;
    CHECK(rows->size() >= exact);
    CHECK(rows->size() <= exact + 40);
    for (const JoinRow& row : *rows) CHECK(row.count >= std::max(t, s_counts[r[row.row]]));
  }
  CHECK_FALSE(bloomjoin(fr, *SpectralFilter::make({.counters = 10, .k = 5}), r).has_value());
}

TEST_CASE("the sparse side of bifocal sampling is within 10 % of the exact join size") {
  Rng rng(4);
  ZipfStream r(rng, 2000, 20000, 0.3);
  auto filter = *SpectralFilter::make({.counters = 20000, .k = 5});
  filter.insert_all(r.stream);
  constexpr std::uint64_t dense = 30;
  double exact = 0;
  std::vector<Hash128> s;
  for (int i = 0; i < 20000; ++i) {
    s.push_back(r.elements[rng.below(2000)]);
    auto count = r.counts.find(s.back());
    if (count != r.counts.end() && count->second < dense)
      exact += static_cast<double>(count->second);
  }
  std::vector<Hash128> sample;
  for (int i = 0; i < 4000; ++i) sample.push_back(s[rng.below(s.size())]);
  CHECK(sparse_join_size(filter, sample, s.size(), dense) == doctest::Approx(exact).epsilon(0.1));
  CHECK(sparse_join_size(filter, {}, s.size(), dense) == 0);
}

TEST_CASE(
    "aggregates bound the sum from above, and the unbiased sum is close in a crowded filter") {
  Rng rng(5);
  ZipfStream data(rng, 2000, 40000, 0.4);
  auto filter = *SpectralFilter::make({.counters = 4000, .k = 5});
  filter.insert_all(data.stream);
  std::vector<Hash128> asked(data.elements.begin() + 200, data.elements.begin() + 1200);
  double truth = 0;
  std::uint64_t most = 0;
  for (const Hash128& element : asked) {
    truth += static_cast<double>(data.counts[element]);
    most = std::max(most, data.counts[element]);
  }
  Aggregate got = aggregate(filter, asked);
  CHECK(static_cast<double>(got.sum) >= truth);
  CHECK(got.most >= most);
  CHECK(got.least <= got.most);
  CHECK(got.mean == doctest::Approx(static_cast<double>(got.sum) / 1000));
  CHECK(std::abs(got.unbiased_sum - truth) < 0.1 * truth);
  CHECK(std::abs(got.unbiased_sum - truth) < static_cast<double>(got.sum) - truth);
  CHECK(aggregate(filter, {}).sum == 0);
}

TEST_CASE("a sliding window holds the last elements only") {
  Rng rng(6);
  ZipfStream data(rng, 50, 1000, 1);
  SlidingWindow window(*SpectralFilter::make({.counters = 5000, .k = 5}), 100);
  for (const Hash128& element : data.stream) window.push(element);
  auto last = *SpectralFilter::make({.counters = 5000, .k = 5});
  last.insert_all(std::span(data.stream).last(100));
  CHECK(window.filter() == last);
  CHECK(window.size() == 100);
}

TEST_CASE("a range tree never counts too low and asks at most 2 (p-1) log_p |Q| nodes") {
  for (std::uint32_t degree : {2U, 3U, 4U, 16U}) {
    CAPTURE(degree);
    Rng rng(degree);
    auto tree = *RangeTree::make(
        {.filter = {.counters = 60000, .k = 5}, .low = -500, .size = 3001, .degree = degree});
    std::map<std::int64_t, std::uint64_t> twin;
    for (int i = 0; i < 2000; ++i) {
      std::int64_t value = rng.between(-500, 2500);
      REQUIRE(tree.insert(value).has_value());
      ++twin[value];
      if (!rng.chance(0.2)) continue;
      REQUIRE(tree.remove(value));
      --twin[value];
    }
    double off = 0;
    for (int query = 0; query < 400; ++query) {
      std::int64_t lo = rng.between(-600, 2600);
      std::int64_t hi = rng.between(lo, query % 2 == 0 ? lo + 20 : 2600);
      std::uint64_t truth = 0;
      for (auto it = twin.lower_bound(lo); it != twin.end() && it->first <= hi; ++it)
        truth += it->second;
      RangeTree::Answer got = tree.count(lo, hi);
      REQUIRE(got.count >= truth);
      off += static_cast<double>(got.count - truth);
      double width = static_cast<double>(hi - lo + 1);
      double limit =
          std::max(1.0, 2.0 * (degree - 1) * std::ceil(std::log(width) / std::log(degree)));
      REQUIRE(got.estimates <= limit);
      if (degree == 2) REQUIRE(got.estimates <= std::max(1.0, 2 * std::log2(width)));
    }
    CHECK(off / 400 < 5);
    CHECK(tree.count(-500, 2500).estimates == 0);
  }
}

TEST_CASE("a range tree refuses what lies outside and what is not there") {
  CHECK_FALSE(RangeTree::make({.filter = {.counters = 100}, .low = 0, .size = 0}).has_value());
  CHECK_FALSE(
      RangeTree::make({.filter = {.counters = 100}, .low = 0, .size = 9, .degree = 1}).has_value());
  CHECK_FALSE(
      RangeTree::make({.filter = {.counters = 100}, .low = INT64_MAX, .size = 9}).has_value());
  auto tree = *RangeTree::make({.filter = {.counters = 5000, .k = 5}, .low = 10, .size = 90});
  CHECK_FALSE(tree.insert(9).has_value());
  CHECK_FALSE(tree.insert(100).has_value());
  REQUIRE(tree.insert(50, 2).has_value());
  SpectralFilter before = tree.filter();
  CHECK_FALSE(tree.remove(51));
  CHECK_FALSE(tree.remove(50, 3));
  CHECK_FALSE(tree.remove(1000));
  CHECK(tree.filter() == before);
  CHECK(tree.count(200, 300).count == 0);
  CHECK(tree.count(60, 50).count == 0);
  auto single = *RangeTree::make({.filter = {.counters = 100, .k = 5}, .low = 3, .size = 1});
  REQUIRE(single.insert(3).has_value());
  CHECK(single.count(0, 9).count == 1);
}

TEST_SUITE_END();
