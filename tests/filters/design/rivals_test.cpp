// SPDX-License-Identifier: MIT
#include "filters/design/rivals.h"

#include <doctest/doctest.h>

#include <cmath>

#include "filters/design/dyadic.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

Load table1() {
  return {{{5, 1}}, {{{120, 10}}, {{201, 20}}, {{5001, 500}}, {{3600001, 100}}, {{1800001, 100}}}};
}

/// Blocks of the cells [first, last], greedily from the left, each as large as alignment allows.
int count_blocks(std::int64_t first, std::int64_t last) {
  int blocks = 0;
  while (first <= last) {
    std::int64_t size = 1;
    while (first % (2 * size) == 0 && first + 2 * size - 1 <= last) size *= 2;
    first += size;
    ++blocks;
  }
  return blocks;
}

}  // namespace

TEST_SUITE_BEGIN("filters/rivals");

TEST_CASE("the chances of block counts are those of all alignments") {
  for (std::int64_t width : {1, 2, 3, 7, 10, 64, 100, 500}) {
    for (int level : {0, 1, 3}) {
      std::vector<double> chances = dyadic_blocks(static_cast<double>(width), level);
      std::vector<double> counted(chances.size(), 0);
      constexpr std::int64_t period = 4096;
      for (std::int64_t start = period; start < 2 * period; ++start) {
        auto blocks =
            static_cast<std::size_t>(count_blocks(start >> level, (start + width - 1) >> level));
        REQUIRE(blocks < counted.size());
        counted[blocks] += 1.0 / period;
      }
      CAPTURE(width);
      CAPTURE(level);
      for (std::size_t i = 0; i < chances.size(); ++i) {
        CHECK(chances[i] == doctest::Approx(counted[i]).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("ignoring how block counts vary makes dyadic prefixes look better than they are") {
  MixedDesign hopeful = design_mixed(table1(), {.allow_go = false, .spread = Spread::mean_fill});
  MixedDesign honest = design_mixed(table1(), {.allow_go = false});
  CHECK(hopeful.total_fpr < 0.8 * honest.total_fpr);
}

TEST_CASE("the hybrid is no worse than dyadic prefixes or GO alone") {
  for (int bits : {96, 256, 512, 1024}) {
    double go = design_mixed(table1(), {.bits = bits, .allow_dyadic = false}).total_fpr;
    double dyadic = design_mixed(table1(), {.bits = bits, .allow_go = false}).total_fpr;
    double hybrid = design_mixed(table1(), {.bits = bits}).total_fpr;
    CAPTURE(bits);
    CHECK(hybrid <= go * (1 + 1e-9));
    CHECK(hybrid <= dyadic * (1 + 1e-9));
  }
}

TEST_CASE("one range: GO wins with few bits, dyadic prefixes with many") {
  Load load{{}, {{{10000, 100}}}};
  auto both = [&](int bits) {
    return std::pair{design_mixed(load, {.bits = bits, .allow_dyadic = false}).total_fpr,
                     design_mixed(load, {.bits = bits, .allow_go = false}).total_fpr};
  };
  auto [go_small, dyadic_small] = both(64);
  auto [go_large, dyadic_large] = both(256);
  CHECK(go_small < dyadic_small);
  CHECK(dyadic_large < go_large / 10);
}

TEST_CASE("the parts of a mixed design add up to its total") {
  MixedDesign hybrid = design_mixed(table1(), {});
  double sum = 5 * hybrid.text_fpr;
  for (double rate : hybrid.range_fpr) sum += rate;
  CHECK(sum == doctest::Approx(hybrid.total_fpr).epsilon(1e-9).scale(0));
}

TEST_CASE("explicit end points leave 74 bits per text in 512, and round when they must") {
  ExplicitRecord roomy = explicit_record(table1(), 512);
  CHECK(roomy.fingerprint_bits == 74);
  CHECK(roomy.total_fpr == doctest::Approx(5 * std::exp2(-74)).epsilon(1e-9).scale(0));
  ExplicitRecord tight = explicit_record(table1(), 147);
  CHECK(tight.bits <= 147);
  CHECK(tight.total_fpr <= 5.496e-3);
  CHECK(tight.shifts[3] > 0);
  CHECK(explicit_record(table1(), 140).total_fpr > tight.total_fpr);
}

TEST_CASE("a plain Bloom filter of Table 1 is saturated") {
  PlainBloom plain = plain_bloom(table1(), 512);
  CHECK(plain.k == 1);
  CHECK(plain.total_fpr == doctest::Approx(10 * (1 - std::exp(-735.0 / 512))).epsilon(1e-12));
}

TEST_CASE(
    "a plain Bloom filter may be held to one k, and takes the largest it may if that is best") {
  Load ten_texts{{{10, 1}}, {}};
  CHECK(plain_bloom(ten_texts, 512, 7, 7).k == 7);
  CHECK(plain_bloom(ten_texts, 512, 7, 7).total_fpr ==
        doctest::Approx(10 * std::pow(1 - std::exp(-70.0 / 512), 7)).epsilon(1e-12));
  CHECK(plain_bloom(ten_texts, 512, 1, 20).k == 20);  // the best of all is 512 ln 2 / 10 = 35
}

TEST_SUITE_END();
