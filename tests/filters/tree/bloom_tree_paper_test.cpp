// SPDX-License-Identifier: MIT
// What bloomtree reports, against this implementation at n = 10^4 and 10^5 (the paper: 10^8; the
// figures depend on ratios only, 7.1). What does not agree is told in docs/filters-bloomtree.md.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rng.h"
#include "filters/bloom/bloom.h"
#include "filters/coding/bit_coder.h"
#include "filters/tree/bloom_tree_rates.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/bloom_tree_paper");

namespace {

std::vector<Hash128> elements(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  std::vector<Hash128> out(count);
  for (Hash128& element : out) element = {.low = rng.next(), .high = rng.next()};
  return out;
}

BloomTree tree_of(const BloomTreeShape& shape, std::span<const Hash128> members) {
  BloomTree tree = *BloomTree::make(shape);
  tree.insert_all(members);
  return tree;
}
BloomTree tree_of(std::vector<TreeLevel> levels, std::span<const Hash128> members) {
  return tree_of(BloomTreeShape{.levels = std::move(levels)}, members);
}

/// Bits of a plain filter with the best k (eq. 14).
double plain_bits(double n, double rate) { return n * std::log(rate) / std::log(0.6185); }

struct Row {
  double fpr = 0;  // geometric mean
  double sent_to_stored = 0;
  double sent_to_plain = 0;
};

Row measure(double root, std::vector<TreeLevel> levels) {
  constexpr std::size_t n = 100'000;
  levels[0].bits = static_cast<std::uint32_t>(root * n);
  BloomTree tree = tree_of(levels, elements(1, n));
  double sent = entropy_bits(tree, SentLevels::whole);
  double fpr = rates(tree).geometric;
  return {fpr, sent / static_cast<double>(tree.bits().size()), sent / plain_bits(n, fpr)};
}

using Levels = std::vector<TreeLevel>;
const Levels default_levels{{0, 6}, {4, 3}, {3, 2}};  // 8.2.1

}  // namespace

TEST_CASE("Table III, depth 3: log rate within 10 %, sizes within 15 %") {
  Row half = measure(0.5, {{0, 5}, {4, 3}, {3, 2}});
  CHECK(std::log(half.fpr) == doctest::Approx(std::log(0.21)).epsilon(0.10));
  CHECK(half.sent_to_stored == doctest::Approx(0.21).epsilon(0.15));
  CHECK(half.sent_to_plain == doctest::Approx(0.55).epsilon(0.15));
  Row one = measure(1, default_levels);
  CHECK(std::log(one.fpr) == doctest::Approx(std::log(0.0026)).epsilon(0.10));
  CHECK(one.sent_to_stored == doctest::Approx(0.50).epsilon(0.15));
  CHECK(one.sent_to_plain == doctest::Approx(0.69).epsilon(0.15));
}

TEST_CASE("Table III, depth 2: size on the wire within 20 %, the rest where the text says") {
  Row half = measure(0.5, {{0, 6}, {3, 1}});
  CHECK(half.fpr == doctest::Approx(0.84).epsilon(0.05));
  CHECK(half.sent_to_stored == doctest::Approx(0.096).epsilon(0.05));
  // The paper has 0.39, with 1.5 stored bits an element; 0.5 + 0.5 * 3 are 2.
  CHECK(half.sent_to_plain == doctest::Approx(0.70).epsilon(0.05));
  Row one = measure(1, {{0, 6}, {4, 3}});
  CHECK(one.sent_to_stored == doctest::Approx(0.20).epsilon(0.20));
  CHECK(one.fpr == doctest::Approx(0.517).epsilon(0.03));            // paper: 0.38
  CHECK(one.sent_to_plain == doctest::Approx(0.606).epsilon(0.03));  // paper: 0.49
}

namespace {

/// What the paper samples (eq. 11): the filters that a stranger's own positions lead to, repeats
/// included, as far as the bits are ones; the product of their rates, as a logarithm.
double stranger_log(const BloomTree& tree, const TreePositions& positions, const Hash128& salted,
                    std::size_t level, std::uint32_t filter) {
  std::uint32_t m = tree.shape().levels[level].bits;
  std::uint32_t k = tree.shape().levels[level].k;
  double ones = 0;
  for (std::uint32_t i = 0; i < m; ++i) ones += tree.test(level, filter * m + i) ? 1 : 0;
  double out = k * std::log(ones / m);
  if (level + 1 == tree.shape().depth()) return out;
  TreePositions::Filter found;
  positions.all_of(salted, level, filter, found.data());
  for (std::uint32_t j = 0; j < k; ++j) {
    if (!tree.test(level, found[j])) continue;
    out += stranger_log(tree, positions, salted, level + 1, found[j]);
  }
  return out;
}

}  // namespace

TEST_CASE("Table III, rates: with the paper's hashing and sampling the logarithms agree to 15 %") {
  // h1 + c h2 for all positions (eq. 8 and 9), a root length that 4 divides as 10^8 is, and random
  // items that follow their own positions. Row d 2, rho 0.5 is in the test above; d 2, rho 1 comes
  // out at 0.26, printed 0.38.
  struct Printed {
    double root;
    Levels levels;
    double rate;
  };
  const Printed rows[] = {{0.5, {{0, 5}, {4, 3}, {3, 2}}, 0.21},
                          {0.5, {{0, 6}, {5, 3}, {3, 2}, {3, 2}}, 1.02e-5},
                          {0.5, {{0, 6}, {4, 3}, {4, 3}, {2, 1}, {3, 2}}, 2.01e-12},
                          {1, {{0, 6}, {4, 3}, {3, 2}}, 0.0026},
                          {1, {{0, 6}, {4, 3}, {4, 3}, {5, 2}}, 2.55e-22},
                          {1, {{0, 4}, {2, 1}, {4, 3}, {2, 1}, {7, 1}}, 5.37e-13}};
  constexpr std::size_t n = 8000;
  for (const Printed& row : rows) {
    BloomTreeShape shape{.levels = row.levels, .hashing = TreeHashing::double_hashing};
    shape.levels[0].bits = static_cast<std::uint32_t>(row.root * n);
    BloomTree tree = tree_of(shape, elements(21, n));
    TreePositions positions(shape);
    double sum = 0;
    std::vector<Hash128> asked = elements(22, 1000);
    for (const Hash128& stranger : asked) {
      sum += stranger_log(tree, positions, positions.salted(stranger), 0, 0);
    }
    CAPTURE(row.rate);
    CHECK(sum / static_cast<double>(asked.size()) ==
          doctest::Approx(std::log(row.rate)).epsilon(0.15));
  }
}

TEST_CASE("Table III, hash functions at depth 3: the tree's over a plain filter's within 15 %") {
  // H_BT counts the positions of every filter visited; H_SBF is log2 of 1 / rate, rounded down.
  auto evaluated = [](const Levels& levels) {
    double filters = 1;
    double out = 0;
    for (const TreeLevel& level : levels) out += filters *= level.k;
    return out;
  };
  auto ratio = [&](double root, const Levels& levels) {
    return evaluated(levels) / std::floor(-std::log2(measure(root, levels).fpr));
  };
  CHECK(ratio(0.5, {{0, 5}, {4, 3}, {3, 2}}) == doctest::Approx(25));
  CHECK(ratio(1, default_levels) == doctest::Approx(7.5).epsilon(0.15));
}

TEST_CASE("Figure 8: elements per filter follow the Poisson means 4 and below that 7/4 of them") {
  constexpr std::uint32_t n = 10'000;
  BloomTreeShape shape{.levels = {{n, 4}, {4, 2}, {4, 2}, {4, 2}}};
  TreePositions positions(shape);
  std::array<std::map<std::uint32_t, std::uint32_t>, 4> loads;
  for (const Hash128& element : elements(2, n)) {
    std::vector<std::uint32_t> filters{0};
    for (std::size_t level = 0; level < 4; ++level) {
      std::vector<std::uint32_t> below;
      for (std::uint32_t filter : filters) {
        ++loads[level][filter];
        TreePositions::Filter found;
        std::uint32_t count = positions.of(element, level, filter, found);
        below.insert(below.end(), found.begin(), found.begin() + count);
      }
      filters = below;
    }
  }
  // Twice in the same bit counts once, so a bit takes 1 - (3/4)^2 = 7/16 of a filter's elements;
  // the paper's k/m = 1/2 counts such an element twice.
  std::array<double, 4> means{};
  for (std::size_t level = 1; level < 4; ++level) {
    double sum = 0;
    double squares = 0;
    for (auto [filter, load] : loads[level]) {
      sum += load;
      squares += static_cast<double>(load) * load;
    }
    auto filters = static_cast<double>(shape.filters(level));
    means[level] = sum / filters;
    if (level == 1) {
      double variance = squares / filters - means[1] * means[1];
      CHECK(variance == doctest::Approx(means[1]).epsilon(0.05));  // as a Poisson variable has
    }
  }
  CHECK(means[1] == doctest::Approx(4).epsilon(0.01));
  CHECK(means[2] == doctest::Approx(4 * 7.0 / 16).epsilon(0.01));
  CHECK(means[3] == doctest::Approx(4 * 49.0 / 256).epsilon(0.01));
  CHECK(means[2] == doctest::Approx(2).epsilon(0.13));  // the paper's figure
}

TEST_CASE("Figure 11a: the rate depends on ratios, not on the number of elements") {
  double log_small =
      std::log(rates(tree_of({{1000, 6}, {4, 2}, {4, 2}}, elements(3, 2000))).geometric);
  double log_large =
      std::log(rates(tree_of({{20'000, 6}, {4, 2}, {4, 2}}, elements(4, 40'000))).geometric);
  CHECK(log_small == doctest::Approx(log_large).epsilon(0.06));
}

TEST_CASE("Figures 11b-d: deeper, wider or longer trees err less") {
  std::vector<Hash128> members = elements(5, 4000);
  auto fpr = [&](std::uint32_t root, std::uint32_t m, std::size_t depth) {
    Levels levels(depth, {m, 2});
    levels[0] = {root, 6};
    return rates(tree_of(levels, members)).geometric;
  };
  CHECK(fpr(2000, 4, 2) > fpr(2000, 4, 3));
  CHECK(fpr(2000, 4, 3) > fpr(2000, 4, 4));
  CHECK(fpr(1000, 4, 3) > fpr(2000, 4, 3));
  CHECK(fpr(2000, 4, 3) > fpr(4000, 4, 3));
  CHECK(fpr(2000, 3, 3) > fpr(2000, 5, 3));
}

namespace {

/// Size on the wire and logarithm of the rate at every tenth of the elements.
struct Growth {
  std::vector<double> sizes{};
  std::vector<double> logs{};
  double stored = 0;
  std::ptrdiff_t peak() const {  // tenths of the elements
    return std::max_element(sizes.begin(), sizes.end()) - sizes.begin() + 1;
  }
};

Growth grow(double root, Levels levels) {
  constexpr std::size_t most = 10'000;
  levels[0].bits = static_cast<std::uint32_t>(root * most);
  BloomTree tree = tree_of(levels, {});
  Growth out{.stored = static_cast<double>(tree.bits().size())};
  std::vector<Hash128> members = elements(6, most);
  for (std::size_t i = 0; i < most; ++i) {
    tree.insert(members[i]);
    if ((i + 1) % (most / 10) != 0) continue;
    out.sizes.push_back(entropy_bits(tree, SentLevels::whole));
    out.logs.push_back(std::log(rates(tree).geometric));
  }
  return out;
}

}  // namespace

TEST_CASE("Figure 12: the size on the wire rises, peaks and falls again, while errors only rise") {
  // The tree of the caption, row d 4, rho 1 of Table III. Its peak is printed at 40 % of the
  // elements and at the stored size; but a tree that is 0.87 of its size when full, as the same
  // row says, must peak at 56 % or later (0.5^(1/0.4) zeros in the leaves are 0.67). Ours: 74 %.
  Growth got = grow(1, {{0, 6}, {4, 3}, {4, 3}, {5, 2}});
  CHECK(std::is_sorted(got.logs.begin(), got.logs.end()));
  CHECK(got.peak() >= 6);
  CHECK(got.peak() <= 8);
  auto rises_and_falls = [](const Growth& growth) {
    auto peak = growth.sizes.begin() + growth.peak() - 1;
    return std::is_sorted(growth.sizes.begin(), peak) &&
           std::is_sorted(growth.sizes.rbegin(), std::make_reverse_iterator(peak));
  };
  CHECK(rises_and_falls(got));
  CHECK(got.sizes[static_cast<std::size_t>(got.peak()) - 1] > 0.9 * got.stored);
  CHECK(got.sizes.back() / got.stored == doctest::Approx(0.87).epsilon(0.04));  // Table III
  // The tree of row d 5, rho 0.5 does peak at 40 %.
  Growth other = grow(0.5, {{0, 6}, {4, 3}, {4, 3}, {2, 1}, {3, 2}});
  CHECK(other.peak() == 4);
  CHECK(rises_and_falls(other));
}

namespace {

/// False positive rates of intersections at equal bytes on the wire.
struct Intersections {
  double tree = 0;  // geometric
  double tree_arithmetic = 0;
  double plain = 0;
  double compressed = 0;
};

/// The AND of two filters of m bits, from really hashed sets.
double flat_rate(std::uint32_t m, std::uint32_t k, std::span<const Hash128> a,
                 std::span<const Hash128> b) {
  BitArray bits(m);
  BitArray other(m);
  set_each_position(a, k, Modulus(m), bits.words());
  set_each_position(b, k, Modulus(m), other.words());
  bits &= other;
  return std::pow(static_cast<double>(bits.count()) / m, k);
}

/// A set of `na` and one of `nb` that share `common`, in trees for `most` elements.
Intersections intersect(std::size_t most, std::size_t na, std::size_t nb, std::size_t common) {
  std::vector<Hash128> pool = elements(8, na + nb - common);
  std::span<const Hash128> all(pool);
  std::span<const Hash128> a = all.first(na);
  std::span<const Hash128> b = all.subspan(na - common);
  Levels levels = default_levels;
  levels[0].bits = static_cast<std::uint32_t>(most);
  BloomTree ta = tree_of(levels, a);
  BloomTree tb = tree_of(levels, b);
  double wire = std::min(entropy_bits(ta, SentLevels::whole), entropy_bits(tb, SentLevels::whole));
  REQUIRE(ta.intersect(tb));
  TreeRates tree = rates(ta);
  double n = static_cast<double>(std::max(na, nb));
  auto plain_m = static_cast<std::uint32_t>(wire);
  // The best k for n_max, as the tree's form, too, is made for n_max.
  double best_k = std::round(std::log(2.0) * wire / static_cast<double>(most));
  auto plain_k = static_cast<std::uint32_t>(std::clamp(best_k, 1.0, 30.0));
  // Two positions and so many bits that their entropy is what the tree takes (8.2.1).
  double low = n;
  double high = 64 * n;
  for (int i = 0; i < 60; ++i) {
    double m = (low + high) / 2;
    double ones = 1 - std::exp(-2 * n / m);
    bool fits =
        entropy_bits(static_cast<std::size_t>(ones * m), static_cast<std::size_t>(m)) < wire;
    (fits ? low : high) = m;
  }
  return {tree.geometric, tree.arithmetic, flat_rate(plain_m, plain_k, a, b),
          flat_rate(static_cast<std::uint32_t>(low), 2, a, b)};
}

}  // namespace

TEST_CASE("Figure 14: a larger intersection errs more, the tree's geometric mean least of all") {
  double last = 0;
  for (double share : {0.1, 0.5, 0.9}) {
    auto got = intersect(20'000, 20'000, 20'000, static_cast<std::size_t>(share * 20'000));
    CAPTURE(share);
    CHECK(got.tree > last);
    CHECK(got.tree < std::min(got.plain, got.compressed));
    last = got.tree;
  }
}

TEST_CASE("Figure 15: larger sets with half in common err more, and the tree is best throughout") {
  double last = 0;
  for (std::size_t n : {2000, 5000, 10'000, 15'000, 20'000}) {
    auto got = intersect(20'000, n, n, n / 2);
    CAPTURE(n);
    CHECK(got.tree > last);
    CHECK(got.tree < got.plain);
    CHECK(got.plain < got.compressed);
    last = got.tree;
  }
}

TEST_CASE("Figure 16: the more the sizes differ, the fewer errors, in the same order") {
  double last = 1;
  for (std::size_t nb : {20'000, 5000, 1000}) {
    auto got = intersect(20'000, 20'000, nb, nb / 2);
    CAPTURE(nb);
    CHECK(got.tree < last);
    CHECK(got.tree < got.plain);
    last = got.tree;
  }
}

namespace {

/// Of the elements of one set only, and of those of neither, how many pass the intersection.
struct Passing {
  double members = 0;
  double strangers = 0;
};

Passing passing(const auto& filter, std::span<const Hash128> members,
                std::span<const Hash128> strangers) {
  auto share = [&](std::span<const Hash128> asked) {
    double hits = 0;
    for (const Hash128& element : asked) hits += filter(element) ? 1 : 0;
    return hits / static_cast<double>(asked.size());
  };
  return {share(members), share(strangers)};
}

}  // namespace

TEST_CASE("Figure 17 does not reproduce: at equal size an intersected tree passes more others") {
  // "Packets that are not in the set intersection": those of one set, or of none. Neither reading
  // gives the printed order (tree, plain, compressed); the last two do come in that order.
  constexpr std::size_t n = 20'000;
  for (double share : {0.2, 0.8}) {
    CAPTURE(share);
    auto common = static_cast<std::size_t>(share * n);
    auto got = intersect(n, n, n, common);
    CHECK(got.tree_arithmetic > 1.5 * got.plain);
    CHECK(got.tree_arithmetic > 1.5 * got.compressed);
    CHECK(got.plain < got.compressed);
    std::vector<Hash128> pool = elements(8, 2 * n - common);
    std::span<const Hash128> all(pool);
    Levels levels = default_levels;
    levels[0].bits = n;
    BloomTree tree = tree_of(levels, all.first(n));
    double wire = entropy_bits(tree, SentLevels::whole);
    REQUIRE(tree.intersect(tree_of(levels, all.subspan(n - common))));
    BloomFilter plain(static_cast<std::uint32_t>(wire), 6);  // ln 2 * 8 bits
    BloomFilter other(static_cast<std::uint32_t>(wire), 6);
    for (const Hash128& element : all.first(n)) plain.insert(element);
    for (const Hash128& element : all.subspan(n - common)) other.insert(element);
    std::vector<Hash128> strangers = elements(9, n);
    std::span<const Hash128> only_a = all.first(n - common);
    Passing of_tree =
        passing([&](const Hash128& e) { return tree.may_contain(e); }, only_a, strangers);
    Passing of_plain =
        passing([&](const Hash128& e) { return plain.may_contain(e) && other.may_contain(e); },
                only_a, strangers);
    CAPTURE(of_tree.members);
    CAPTURE(of_plain.members);
    CHECK(of_tree.members > 1.5 * of_plain.members);
    CHECK(of_tree.strangers > of_plain.strangers);
  }
}
