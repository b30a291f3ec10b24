// SPDX-License-Identifier: MIT
#include "filters/tree/bloom_tree.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <set>

#include "base/rng.h"
#include "filters/coding/bit_coder.h"
#include "filters/tree/bloom_tree_codec.h"
#include "filters/tree/bloom_tree_rates.h"
#include "tests/filters/checksum.h"

using namespace beckon;
using namespace beckon::filters;

TEST_SUITE_BEGIN("filters/bloom_tree");

namespace {

Hash128 random_element(Rng& rng) { return {.low = rng.next(), .high = rng.next()}; }

BloomTree filled(const BloomTreeShape& shape, Rng& rng, int elements) {
  BloomTree tree = *BloomTree::make(shape);
  for (int i = 0; i < elements; ++i) tree.insert(random_element(rng));
  return tree;
}

std::vector<BloomTreeShape> some_shapes() {
  using Levels = std::vector<TreeLevel>;
  return {
      {.levels = Levels{{4000, 3}}},
      {.levels = Levels{{1000, 6}, {4, 3}}, .salt = 7},
      {.levels = Levels{{1002, 6}, {4, 3}, {3, 2}}, .partitioned = true},
      {.levels = Levels{{1000, 6}, {4, 3}, {3, 2}}, .hashing = TreeHashing::double_hashing},
      {.levels = Levels{{500, 4}, {70, 2}, {2, 1}, {5, 2}}},
      {.levels = Levels{{2000, 1}, {4, 1}, {4, 1}, {4, 1}, {4, 1}}},
      {.levels = Levels{{601, 16}, {24, 5}, {2, 1}}, .salt = 3},
      {.levels = Levels{{1007, 9}, {7, 3}, {5, 2}}},
  };
}

/// The same structure in the plainest way: filters by their path, bits in a set.
class NaiveTree {
 public:
  explicit NaiveTree(const BloomTreeShape& shape) : shape_(shape), positions_(shape) {}
  void insert(const Hash128& element) { visit(element, 0, 0, true); }
  bool may_contain(const Hash128& element) { return visit(element, 0, 0, false); }
  const auto& ones() const { return ones_; }

 private:
  bool visit(const Hash128& element, std::size_t level, std::uint32_t filter, bool write) {
    TreePositions::Filter found;
    std::uint32_t count = positions_.of(positions_.salted(element), level, filter, found);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (write) ones_.insert({level, found[i]});
      if (!ones_.contains({level, found[i]})) return false;
      if (level + 1 < shape_.depth() && !visit(element, level + 1, found[i], write)) return false;
    }
    return true;
  }
  BloomTreeShape shape_;
  TreePositions positions_;
  std::set<std::pair<std::size_t, std::uint64_t>> ones_;
};

}  // namespace

TEST_CASE(
    "many inserted and asked for at a time are what they are one by one and in the naive tree") {
  for (const BloomTreeShape& shape : some_shapes()) {
    for (std::size_t count : {1UL, 15UL, 16UL, 100UL, 333UL}) {
      CAPTURE(shape.depth());
      CAPTURE(count);
      Rng rng(77);
      std::vector<Hash128> members(count);
      for (Hash128& element : members) element = random_element(rng);
      BloomTree single = *BloomTree::make(shape);
      BloomTree together = single;
      NaiveTree naive(shape);
      for (const Hash128& element : members) {
        single.insert(element);
        naive.insert(element);
      }
      together.insert_all(members);
      CHECK(together == single);
      std::vector<Hash128> asked = members;
      for (int i = 0; i < 200; ++i) asked.push_back(random_element(rng));
      auto answers = std::make_unique<bool[]>(asked.size());
      together.may_contain(asked, {answers.get(), asked.size()});
      for (std::size_t i = 0; i < asked.size(); ++i) {
        REQUIRE(answers[i] == naive.may_contain(asked[i]));
        REQUIRE(single.may_contain(asked[i]) == answers[i]);
      }
    }
  }
}

TEST_CASE("a tree answers as a naive one does and never denies a member of the exact set") {
  for (const BloomTreeShape& shape : some_shapes()) {
    CAPTURE(shape.depth());
    Rng rng(1);
    BloomTree tree = *BloomTree::make(shape);
    NaiveTree naive(shape);
    std::set<std::uint64_t> exact;
    for (int i = 0; i < 700; ++i) {
      Hash128 element = random_element(rng);
      tree.insert(element);
      naive.insert(element);
      exact.insert(element.low);
    }
    Rng again(1);
    for (int i = 0; i < 1400; ++i) {  // members first, then strangers
      Hash128 element = random_element(again);
      bool said = tree.may_contain(element);
      CHECK(said == naive.may_contain(element));
      if (exact.contains(element.low)) CHECK(said);
    }
    CHECK(tree.bits().count() == naive.ones().size());
    for (auto [level, bit] : naive.ones()) CHECK(tree.test(level, bit));
  }
}

TEST_CASE("filters lie breadth first in one array") {
  BloomTree tree = *BloomTree::make({.levels = {{10, 2}, {4, 2}, {3, 1}}});
  CHECK(tree.bits().size() == 10 + 40 + 120);
  CHECK(tree.offset(1) == 10);
  CHECK(tree.offset(2) == 50);
  CHECK(tree.shape().filters(2) == 40);
}

TEST_CASE("the arithmetic rate is what strangers meet, and the geometric mean is far below it") {
  Rng rng(2);
  for (bool partitioned : {false, true}) {
    BloomTreeShape shape{.levels = {{12'000, 6}, {4, 3}, {3, 2}}, .partitioned = partitioned};
    BloomTree tree = filled(shape, rng, 12'000);
    int met = 0;
    constexpr int strangers = 60'000;
    for (int i = 0; i < strangers; ++i) met += tree.may_contain(random_element(rng)) ? 1 : 0;
    TreeRates got = rates(tree);
    CHECK(static_cast<double>(met) / strangers == doctest::Approx(got.arithmetic).epsilon(0.06));
    CHECK(got.arithmetic == doctest::Approx(0.053).epsilon(0.1));
    CHECK(got.geometric < got.arithmetic / 20);
  }
}

TEST_CASE("the geometric mean agrees with sampled walks over ones") {
  Rng rng(3);
  BloomTree tree = filled({.levels = {{800, 4}, {4, 2}}}, rng, 800);
  // Queries as in 6.3.3: k different ones of the root, then the fills of their children.
  std::vector<std::uint32_t> ones;
  for (std::uint32_t i = 0; i < 800; ++i) {
    if (tree.test(0, i)) ones.push_back(i);
  }
  double logs = 0;
  constexpr int walks = 20'000;
  for (int w = 0; w < walks; ++w) {
    for (std::size_t i = 0; i < 4; ++i) std::swap(ones[i], ones[i + rng.below(ones.size() - i)]);
    logs += 4 * std::log(tree.fill(0));
    for (std::size_t i = 0; i < 4; ++i) {
      int set = 0;
      for (std::uint32_t b = 0; b < 4; ++b) set += tree.test(1, ones[i] * 4 + b) ? 1 : 0;
      logs += 2 * std::log(set / 4.0);
    }
  }
  CHECK(std::log(rates(tree).geometric) == doctest::Approx(logs / walks).epsilon(0.02));
}

TEST_CASE("the paper's double hashing makes many times the false positives of independent words") {
  Rng rng(4);
  BloomTreeShape shape{.levels = {{20'000, 6}, {4, 3}, {3, 2}}};
  std::array<double, 2> met{};
  for (TreeHashing hashing : {TreeHashing::independent, TreeHashing::double_hashing}) {
    shape.hashing = hashing;
    BloomTree tree = filled(shape, rng, 20'000);
    for (int i = 0; i < 20'000; ++i) {
      met[static_cast<std::size_t>(hashing)] += tree.may_contain(random_element(rng)) ? 1 : 0;
    }
  }
  CHECK(met[1] > 2.5 * met[0]);
}

TEST_CASE("the intersection keeps every common element and has no ones without children") {
  for (const BloomTreeShape& shape : some_shapes()) {
    Rng rng(5);
    BloomTree a = *BloomTree::make(shape);
    BloomTree b = *BloomTree::make(shape);
    std::vector<Hash128> common;
    for (int i = 0; i < 900; ++i) {
      Hash128 element = random_element(rng);
      if (i % 3 != 0) a.insert(element);
      if (i % 3 != 1) b.insert(element);
      if (i % 3 == 2) common.push_back(element);
    }
    double before = rates(a).arithmetic;
    REQUIRE(a.intersect(b));
    for (const Hash128& element : common) CHECK(a.may_contain(element));
    CHECK(rates(a).arithmetic < before);
    std::vector<BitArray> levels;
    for (std::size_t i = 0; i < shape.depth(); ++i) levels.push_back(a.level(i));
    CHECK(BloomTree::from_levels(shape, levels));
    BloomTreeShape other = shape;
    other.salt += 1;
    CHECK_FALSE(a.intersect(*BloomTree::make(other)));
    CHECK_FALSE(a.merge(*BloomTree::make(other)));
  }
}

TEST_CASE("a tree comes back from its bytes, smaller than all its levels") {
  for (const BloomTreeShape& shape : some_shapes()) {
    for (int elements : {0, 1, 700}) {
      Rng rng(6);
      BloomTree tree = filled(shape, rng, elements);
      Bytes bytes = encode(tree);
      auto back = decode_bloom_tree(bytes);
      REQUIRE(back);
      CHECK(*back == tree);
      double entropy = entropy_bits(tree, SentLevels::children_of_ones);
      CHECK(entropy <= entropy_bits(tree, SentLevels::whole) * 1.0001);
      CHECK(static_cast<double>(bytes.size()) < entropy / 8 * 1.02 + 100);
    }
  }
}

TEST_CASE("a tree's bytes look as they always did") {
  BloomTree tree = *BloomTree::make({.levels = {{16, 2}, {3, 1}}, .salt = 1});
  tree.insert({.low = 1, .high = 2});
  CHECK(to_hex(encode(tree)) ==
        "424b42540200020000000000000001000000100200000003010000000300108000000002000a"
        "e5040fc5c25f5270");
}

TEST_CASE("cut, changed, deep, large and lying trees are refused") {
  Rng rng(7);
  BloomTree tree = filled({.levels = {{100, 3}, {4, 2}}}, rng, 50);
  Bytes bytes = encode(tree);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(decode_bloom_tree(ByteView(bytes).first(size)));
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Bytes flipped = bytes;
    flipped[at] ^= 0x10;
    CHECK_FALSE(decode_bloom_tree(flipped));
  }
  CHECK_FALSE(decode_bloom_tree(bytes, 400));  // it has 500 bits
  auto refused = [&](std::size_t at, std::uint8_t value) {
    Bytes lying = bytes;
    lying[at] = value;
    repair_checksum(lying);
    return !decode_bloom_tree(lying);
  };
  CHECK(refused(4, 3));      // version
  CHECK(refused(5, 4));      // flags
  CHECK(refused(6, 7));      // depth
  CHECK(refused(6, 0));      // no level at all
  CHECK(refused(15, 0x7F));  // a root of 2^31 bits
  CHECK(refused(19, 17));    // k
  CHECK(refused(27, 0xFF));  // a level longer than the input
}

TEST_CASE("shapes that cannot be are refused with a reason") {
  CHECK_FALSE(BloomTreeShape{}.check());
  CHECK_FALSE(BloomTreeShape{.levels = {{1, 1}}}.check());
  CHECK_FALSE(BloomTreeShape{.levels = {{10, 0}}}.check());
  CHECK_FALSE(BloomTreeShape{.levels = {{1 << 28, 1}, {8, 1}}}.check());
  CHECK_FALSE(BloomTreeShape{.levels = {{10, 4}, {4, 1}}, .partitioned = true}.check());
  CHECK_FALSE(BloomTreeShape{.levels = std::vector<TreeLevel>(7, {2, 1})}.check());
  CHECK_FALSE(BloomTreeShape{.levels = std::vector<TreeLevel>(5, {8, 16})}.check());
  CHECK(BloomTreeShape{.levels = {{12, 4}, {4, 1}}, .partitioned = true}.check());
}
