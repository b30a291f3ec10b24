// SPDX-License-Identifier: MIT
#include "filters/coding/bit_coder.h"

#include <doctest/doctest.h>

#include "base/rng.h"
#include "filters/coding/filter_coder.h"
#include "filters/coding/symbol_coder.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/range_coder");

namespace {

BitArray random_bits(Rng& rng, std::size_t bits, double fill) {
  BitArray out(bits);
  for (std::size_t i = 0; i < bits; ++i) {
    if (rng.chance(fill)) out.set(i);
  }
  return out;
}

}  // namespace

TEST_CASE("every array comes back, at any fill and length") {
  Rng rng(1);
  for (double fill : {0.0, 1e-4, 0.004, 0.02, 0.08, 0.1, 0.3, 0.5, 0.7, 0.91, 0.99, 0.9999, 1.0}) {
    for (std::size_t bits : {0, 1, 7, 8, 63, 64, 65, 100, 1000, 4097, 50'000}) {
      CAPTURE(fill);
      CAPTURE(bits);
      BitArray array = random_bits(rng, bits, fill);
      for (double raw_above : {0.35, 0.5}) {
        Bytes coded = encode_bits(array, {.raw_above = raw_above});
        CHECK(coded.size() <= array.byte_count() + 2);
        auto back = decode_bits(bits, coded);
        REQUIRE(back);
        CHECK(*back == array);
      }
    }
  }
}

TEST_CASE("an array decoded into the memory of another is the same, whatever was there") {
  Rng rng(17);
  BitArray spare = random_bits(rng, 90'000, 0.5);
  for (double fill : {0.0, 0.01, 0.05, 0.1, 0.14, 0.3, 0.5, 0.95}) {
    for (std::size_t bits : {0, 70, 90'000, 200'000}) {
      CAPTURE(fill);
      CAPTURE(bits);
      BitArray array = random_bits(rng, bits, fill);
      auto back = decode_bits(bits, encode_bits(array), spare);
      REQUIRE(back);
      CHECK(*back == array);
      spare = random_bits(rng, 90'000, 0.5);
    }
  }
}

TEST_CASE("long sparse arrays come back through four lanes and the table, clusters and all") {
  Rng rng(7);
  for (double fill : {0.003, 0.01, 0.03, 0.043, 0.05, 0.06, 0.07, 0.08, 0.1, 0.12, 0.14, 0.149}) {
    CAPTURE(fill);
    BitArray array = random_bits(rng, 700'001, fill);
    for (std::size_t i = 0; i < 3000; ++i) array.set(200'000 + i);  // gaps of nothing at all
    auto back = decode_bits(array.size(), encode_bits(array));
    REQUIRE(back);
    CHECK(*back == array);
    BitArray one_sided(700'001);  // a lane without a single one
    for (std::size_t i = 0; i < 5000; ++i) one_sided.set(rng.below(150'000));
    back = decode_bits(one_sided.size(), encode_bits(one_sided));
    REQUIRE(back);
    CHECK(*back == one_sided);
  }
}

TEST_CASE("four lanes cut, lengthened or changed are refused or decode within bounds") {
  Rng rng(8);
  BitArray array = random_bits(rng, 60'000, 0.1);
  Bytes coded = encode_bits(array);
  for (std::size_t size = 0; size < coded.size(); size += 97) {
    CHECK_FALSE(decode_bits(array.size(), ByteView(coded).first(size)));
  }
  Bytes longer = coded;
  longer.push_back(0);
  CHECK_FALSE(decode_bits(array.size(), longer));
  for (int i = 0; i < 300; ++i) {
    Bytes flipped = coded;
    flipped[rng.below(i < 100 ? 12 : flipped.size())] ^=
        static_cast<std::uint8_t>(1 + rng.below(255));
    auto got = decode_bits(array.size(), flipped);
    if (got) CHECK(got->count() <= array.size());
  }
}

TEST_CASE("long arrays take at most 1.01 times their entropy, 1.02 at fill 0.02") {
  Rng rng(2);
  for (double fill : {0.005, 0.02, 0.05, 0.1, 0.2, 0.3, 0.34, 0.66, 0.8, 0.95}) {
    CAPTURE(fill);
    BitArray array = random_bits(rng, 400'000, fill);
    double coded = 8.0 * static_cast<double>(encode_bits(array).size());
    CHECK(coded <= (fill == 0.02 ? 1.02 : 1.01) * entropy_bits(array));
    CHECK(coded >= entropy_bits(array) * 0.999);
  }
}

TEST_CASE("above fill 0.35 the bytes are sent as they are") {
  Rng rng(3);
  for (double fill : {0.37, 0.5, 0.63}) {
    BitArray array = random_bits(rng, 10'000, fill);
    CHECK(encode_bits(array).size() == array.byte_count() + 1);
  }
  CHECK(encode_bits(random_bits(rng, 10'000, 0.3)).size() < 1200);
}

TEST_CASE("coded bits look as they always did") {
  BitArray array(100);
  for (std::size_t i : {3, 40, 41, 99}) array.set(i);
  Bytes coded = encode_bits(array);
  CHECK(to_hex(coded) == "04046602ce00");
  CHECK(to_hex(encode_bits(BitArray(1000))) == "0400");
}

TEST_CASE("cut, lengthened or changed input is refused or decodes within bounds") {
  Rng rng(4);
  for (double fill : {0.01, 0.05, 0.2, 0.5, 0.9}) {
    BitArray array = random_bits(rng, 3000, fill);
    Bytes coded = encode_bits(array);
    for (std::size_t size = 0; size < coded.size(); ++size) {
      CHECK_FALSE(decode_bits(3000, ByteView(coded).first(size)));
    }
    Bytes longer = coded;
    longer.push_back(0);
    CHECK_FALSE(decode_bits(3000, longer));
    CHECK_FALSE(decode_bits(2000, coded));
    for (int i = 0; i < 300; ++i) {
      Bytes flipped = coded;
      flipped[rng.below(flipped.size())] ^= static_cast<std::uint8_t>(1 + rng.below(255));
      auto got = decode_bits(3000, flipped);
      if (got) CHECK(got->size() == 3000);
    }
  }
}

TEST_CASE(
    "small filters are coded by their pattern: shorter than bit by bit when few have no one") {
  Rng rng(6);
  for (unsigned m : {2U, 3U, 4U, 8U, 9U}) {
    for (int most : {0, 1, 3}) {
      CAPTURE(m);
      CAPTURE(most);
      BitArray bits(3000 * m);
      for (std::size_t f = 0; f < 3000; ++f) {
        for (int i = 0; i < most; ++i) bits.set(f * m + rng.below(m));
      }
      Bytes coded = encode_filters(bits, m);
      auto back = decode_filters(bits.size(), m, coded);
      REQUIRE(back);
      CHECK(*back == bits);
      CHECK(static_cast<double>(coded.size()) <= filter_entropy_bits(bits, m) / 8 * 1.01 + 40);
      if (m <= 8 && m > 2 && most == 1) {
        CHECK(static_cast<double>(coded.size()) <
              0.8 * static_cast<double>(encode_bits(bits).size()));
      }
      for (std::size_t size = 0; size < coded.size(); size += 7) {
        CHECK_FALSE(decode_filters(bits.size(), m, ByteView(coded).first(size)));
      }
    }
  }
}

TEST_CASE("symbols of any frequencies come back") {
  Rng rng(5);
  for (std::size_t size : {0, 1, 5, 4095, 4096, 4099, 20'000}) {
    std::vector<std::uint64_t> weights(1 + rng.below(256));
    for (std::uint64_t& weight : weights) weight = rng.below(5) == 0 ? rng.below(1 << 20) : 0;
    weights[0] += 1;
    std::vector<std::uint8_t> symbols(size);
    for (std::uint8_t& s : symbols) {
      do s = static_cast<std::uint8_t>(rng.below(weights.size()));
      while (weights[s] == 0);
    }
    SymbolModel model(weights);
    std::vector<std::uint8_t> back(size);
    REQUIRE(decode_symbols(model, encode_symbols(model, symbols), back));
    CHECK(back == symbols);
  }
}
