// SPDX-License-Identifier: MIT
#include "filters/spectral/string_array.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/rng.h"
#include "tests/filters/checksum.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/string_array");

namespace {

std::vector<std::uint64_t> random_values(Rng& rng, std::size_t count, unsigned widest) {
  std::vector<std::uint64_t> out(count);
  for (auto& value : out) {
    std::uint64_t width = rng.below(widest + 1);
    value = width == 0 ? 0 : rng.next() >> (64 - width);
  }
  return out;
}

bool same(const auto& array, const std::vector<std::uint64_t>& values) {
  if (array.size() != values.size()) return false;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (array.get(i) != values[i]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a string array agrees with a vector through sets, additions and subtractions") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    auto items = static_cast<std::uint32_t>(1 + rng.below(3000));
    StringArray array(items);
    std::vector<std::uint64_t> twin(items);
    for (int step = 0; step < 15000; ++step) {
      auto i = static_cast<std::uint32_t>(rng.below(items));
      switch (rng.below(5)) {
        case 0:
          array.set(i, twin[i] = rng.next() >> (1 + rng.below(63)));
          break;
        case 1: {
          std::uint64_t less = rng.below(4);
          array.subtract(i, less);
          twin[i] -= std::min(twin[i], less);
          break;
        }
        default:
          array.add(i, 1);
          ++twin[i];
      }
      REQUIRE(array.get(i) == twin[i]);
    }
    CHECK(same(array, twin));
    auto view = StringArrayView::open(array.block());
    REQUIRE(view.has_value());
    CHECK(same(*view, twin));
    auto copy = StringArray::decode(array.block());
    REQUIRE(copy.has_value());
    CHECK(same(*copy, twin));
  }
}

TEST_CASE("counters that grow all at once in one place push their neighbours and lose nothing") {
  StringArray array(5000, {.slack_per_chunk = 64});
  std::vector<std::uint64_t> twin(5000);
  for (std::uint32_t i = 2000; i < 2040; ++i) {
    array.set(i, twin[i] = max_count / 2 - i);
    REQUIRE(same(array, twin));
  }
  CHECK(array.refreshes() == 0);
  CHECK(array.parts().vectors > 0);  // lengths unseen when the code was made
  for (std::uint32_t i = 2040; i < 2400; ++i) array.set(i, twin[i] = max_count / 2 - i);
  CHECK(array.refreshes() > 0);
  CHECK(same(array, twin));
}

TEST_CASE("a counter stops at the largest count and then stays") {
  StringArray array(40);
  array.set(7, max_count - 1);
  array.add(7, 5);
  CHECK(array.get(7) == max_count);
  array.subtract(7, 3);
  CHECK(array.get(7) == max_count);
  array.add(3, 2);
  array.subtract(3, 9);
  CHECK(array.get(3) == 0);
}

TEST_CASE("filling refreshes the layout rarely: fewer than 200 times for 16 growths a counter") {
  StringArray array(20000);
  Rng rng(4);
  for (int i = 0; i < 200000; ++i) array.add(static_cast<std::uint32_t>(rng.below(20000)), 1);
  CHECK(array.refreshes() > 0);
  CHECK(array.refreshes() < 200);
}

TEST_CASE("counters of about ten take at most 6.5 bits each, offsets and slack included") {
  // The paper reports 2 to 2.5 times the raw 2.9 bits (section 6.4).
  Rng rng(9);
  std::vector<std::uint64_t> values(100000);
  for (int i = 0; i < 1000000; ++i) ++values[rng.below(values.size())];
  StringArray array = StringArray::of(values);
  CHECK(static_cast<double>(array.bits()) / 100000 < 6.5);
}

TEST_CASE("a block is refused when cut, lengthened or changed anywhere") {
  Rng rng(2);
  StringArray array = StringArray::of(random_values(rng, 700, 20));
  Bytes good(array.block().begin(), array.block().end());
  REQUIRE(StringArrayView::open(good).has_value());
  for (std::size_t size = 0; size < good.size(); ++size) {
    REQUIRE_FALSE(StringArrayView::open(ByteView(good).first(size)).has_value());
  }
  Bytes longer = good;
  longer.push_back(0);
  CHECK_FALSE(StringArrayView::open(longer).has_value());
  for (std::size_t i = 0; i < good.size(); ++i) {
    Bytes flipped = good;
    flipped[i] ^= static_cast<std::uint8_t>(1U << rng.below(8));
    REQUIRE_FALSE(StringArrayView::open(flipped).has_value());
  }
}

TEST_CASE("a block that lies with a right checksum is refused or read within its bytes") {
  Rng rng(3);
  StringArray array = StringArray::of(random_values(rng, 300, 63));
  array.set(5, max_count);
  const Bytes good(array.block().begin(), array.block().end());
  for (int round = 0; round < 3000; ++round) {
    Bytes lie = good;
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
      lie[rng.below(lie.size())] = static_cast<std::uint8_t>(rng.next());
    }
    repair_checksum(lie);
    auto view = StringArrayView::open(lie);
    if (!view) continue;
    for (std::uint32_t i = 0; i < view->size(); ++i) REQUIRE(view->get(i) <= max_count);
  }
}

TEST_CASE("the format is frozen: golden bytes") {
  std::vector<std::uint64_t> values{0, 1, 2, 3, 10, 0, 0, 200, 1, 0, 5, 0, 0, 0, 7, 1, 1000};
  StringArray array = StringArray::of(values);
  CHECK(to_hex(sha256(array.block())) ==
        "767f54c9232b87e2d38b3130a1fc112a74dd1df9b14d2c0036cda8cff0b0a3ac");
  CHECK(array.block().size() == 152);
}

TEST_CASE("a length code refuses sizes that are no complete prefix code") {
  LengthCode::Sizes sizes{};
  sizes.fill(6);
  CHECK(LengthCode::from_sizes(sizes).has_value());
  sizes[3] = 5;
  CHECK_FALSE(LengthCode::from_sizes(sizes).has_value());
  sizes[3] = 7;
  CHECK_FALSE(LengthCode::from_sizes(sizes).has_value());
  sizes[3] = 0;
  CHECK_FALSE(LengthCode::from_sizes(sizes).has_value());
}

TEST_CASE("a length code is within one bit of the entropy of its lengths and at most ten bits") {
  std::array<std::uint64_t, LengthCode::lengths> counts{};
  for (unsigned i = 0; i < 30; ++i) counts[i] = std::uint64_t{1} << (30 - i);
  LengthCode code = LengthCode::from_counts(counts);
  double bits = 0;
  double entropy = 0;
  double sum = 0;
  for (std::uint64_t c : counts) sum += static_cast<double>(c);
  for (unsigned i = 0; i < LengthCode::lengths; ++i) {
    CHECK(code.size(i) <= LengthCode::max_bits);
    double p = static_cast<double>(counts[i]) / sum;
    bits += p * code.size(i);
    if (p > 0) entropy -= p * std::log2(p);
  }
  CHECK(bits < entropy + 1);
}

TEST_SUITE_END();
