// SPDX-License-Identifier: MIT
#include "filters/bits/positions.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <set>

#include "base/rng.h"
#include "filters/bits/bit_array.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/positions");

namespace {

using Next = std::uint32_t (*)(const Hash128& key, std::uint32_t j);

std::uint32_t independent(const Hash128& key, std::uint32_t j) { return word(key, j); }

std::uint32_t half(std::uint64_t x) { return static_cast<std::uint32_t>(x); }

std::uint32_t kirsch_mitzenmacher(const Hash128& key, std::uint32_t j) {
  return half(key.low) + j * half(key.high);
}

std::uint32_t odd_stride(const Hash128& key, std::uint32_t j) {
  return half(key.low) + j * (half(key.high) | 1);
}

std::uint32_t enhanced(const Hash128& key, std::uint32_t j) {
  return half(key.low) + j * half(key.high) + (j * j * j - j) / 6;
}

struct Setting {
  std::uint32_t m;
  std::uint32_t k;
  std::size_t keys;
};

/// False positives of a filter with random keys, as a multiple of the textbook's q^k.
double excess(Next next, const Setting& setting, int filters, int queries) {
  Rng rng(setting.k);
  auto draw = [&rng] { return Hash128{rng.next(), rng.next()}; };
  Modulus modulus(setting.m);
  std::uint64_t hits = 0;
  for (int f = 0; f < filters; ++f) {
    BitArray bits(setting.m);
    for (std::size_t i = 0; i < setting.keys; ++i) {
      Hash128 key = draw();
      for (std::uint32_t j = 0; j < setting.k; ++j) bits.set(modulus.of(next(key, j)));
    }
    for (int i = 0; i < queries; ++i) {
      Hash128 key = draw();
      std::uint32_t j = 0;
      while (j < setting.k && bits.test(modulus.of(next(key, j)))) ++j;
      hits += j == setting.k ? 1 : 0;
    }
  }
  double positions = static_cast<double>(setting.keys) * setting.k;
  double model = std::pow(-std::expm1(-positions / setting.m), setting.k);
  return static_cast<double>(hits) / filters / queries / model;
}

}  // namespace

TEST_CASE("seeds and words keep their values for ever") {
  Hash128 text = text_seed(as_bytes("salt"), "hobby", "chess");
  AttributeSeed age = attribute_seed(as_bytes("salt"), "age");
  Hash128 group = group_seed(age, Kind::range, 24);
  CHECK(text == Hash128{0xc01191632b9a0dd9, 0xa206ab3ec58f81ae});
  CHECK(static_cast<std::uint64_t>(age) == 0xe4807fba42d352fe);
  CHECK(group == Hash128{0x5a587ae80f663abf, 0x3ed9331880bc51b7});
  std::array<std::uint32_t, 6> words{};
  for (std::uint32_t j = 0; j < words.size(); ++j) words[j] = word(text, j);
  CHECK(words == std::array<std::uint32_t, 6>{0x0ef90a73, 0x48a46e4a, 0x60a679c2, 0xefdfcf07,
                                              0x517cb36a, 0x0de02b7e});
  CHECK(word({0x0123456789abcdef, 0xfedcba9876543210}, 1000) == 0x73c3c067);
}

TEST_CASE("salt, kind, attribute and value or group each change the seed") {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  auto fresh = [&seen](const Hash128& seed) { return seen.insert({seed.low, seed.high}).second; };
  for (const char* salt : {"", "a", "b"}) {
    for (const char* attribute : {"", "a", "ab"}) {
      for (const char* value : {"", "a", "b", "ba"}) {
        CHECK(fresh(text_seed(as_bytes(salt), attribute, value)));
      }
      AttributeSeed seed = attribute_seed(as_bytes(salt), attribute);
      for (std::uint64_t g : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        CHECK(fresh(group_seed(seed, Kind::point, g)));
        CHECK(fresh(group_seed(seed, Kind::range, g)));
      }
    }
  }
}

TEST_CASE("the division-free modulus is exact at every edge") {
  Rng rng(1);
  for (std::uint32_t m : {2U, 3U, 8U, 9U, 512U, 1000U, 1536U, 1U << 20, 0x7fffffffU, 1U << 31}) {
    CAPTURE(m);
    Modulus modulus(m);
    for (std::uint32_t w : {0U, 1U, m - 1, m, m + 1, 0xfffffffeU, 0xffffffffU}) {
      CHECK(modulus.of(w) == w % m);
    }
    for (int i = 0; i < 2000; ++i) {
      auto w = static_cast<std::uint32_t>(rng.next());
      REQUIRE(modulus.of(w) == w % m);
      w = w / m * m;  // the quotient's steps
      REQUIRE(modulus.of(w) == 0);
      REQUIRE(modulus.of(w - 1) == (w - 1) % m);
    }
  }
}

TEST_CASE("a batch gives the words one by one, and every divisor of 1536 agrees with folding") {
  Rng rng(2);
  for (std::uint32_t m : {64U, 96U, 128U, 192U, 256U, 384U, 512U, 768U, 1536U}) {
    CAPTURE(m);
    for (std::size_t k = 0; k <= 70; ++k) {
      Hash128 seed{rng.next(), rng.next()};
      std::vector<std::uint32_t> small(k);
      std::vector<std::uint32_t> base(k);
      positions(seed, Modulus(m), small);
      positions(seed, Modulus(1536), base);
      for (std::uint32_t j = 0; j < k; ++j) {
        REQUIRE(small[j] == word(seed, j) % m);
        REQUIRE(small[j] == base[j] % m);
      }
    }
  }
}

TEST_CASE("setting many positions at once sets the same bits as one by one") {
  Rng rng(4);
  for (std::uint32_t m : {8U, 65U, 96U, 500U, 512U, 1535U, 1536U, 1537U, 1U << 20}) {
    for (std::uint32_t k : {0U, 1U, 7U, 15U, 16U, 17U, 35U, 64U}) {
      CAPTURE(m);
      CAPTURE(k);
      std::vector<Hash128> seeds(rng.below(70));
      for (Hash128& seed : seeds) seed = {rng.next(), rng.next()};
      BitArray many(m);
      BitArray each(m);
      many.set(m - 1);
      each.set(m - 1);
      set_positions(seeds, k, Modulus(m), many.words());
      set_each_position(seeds, k, Modulus(m), each.words());
      REQUIRE(many == each);
    }
  }
}

TEST_CASE("independent words keep the model where double hashing ruins it") {
  Setting large_k{.m = 512, .k = 15, .keys = 25};
  CHECK(excess(independent, large_k, 20000, 1500) == doctest::Approx(1.07).epsilon(0.10));
  CHECK(excess(kirsch_mitzenmacher, large_k, 3000, 1000) == doctest::Approx(51.8).epsilon(0.10));
  CHECK(excess(odd_stride, large_k, 3000, 1000) == doctest::Approx(23.5).epsilon(0.10));
  CHECK(excess(enhanced, large_k, 10000, 1000) == doctest::Approx(2.9).epsilon(0.15));
  Setting small_k{.m = 512, .k = 8, .keys = 47};
  CHECK(excess(independent, small_k, 2000, 1000) == doctest::Approx(1.03).epsilon(0.05));
  CHECK(excess(kirsch_mitzenmacher, small_k, 2000, 1000) == doctest::Approx(1.56).epsilon(0.05));
  CHECK(excess(odd_stride, small_k, 2000, 1000) == doctest::Approx(1.36).epsilon(0.05));
  CHECK(excess(enhanced, small_k, 2000, 1000) == doctest::Approx(1.07).epsilon(0.05));
}

TEST_SUITE_END();
