// SPDX-License-Identifier: MIT
// Trees of filters: what an exchange costs, how fast and how tight the coder of levels is beside an
// adaptive bit-wise arithmetic coder and zstd, and a tree's insert and query beside a plain
// filter's (bloomtree, Table III, last column).
#include <cmath>
#include <cstring>
#include <memory>

#include "base/rng.h"
#include "bench/harness.h"
#include "filters/bloom/bloom.h"
#include "filters/coding/bit_coder.h"
#include "filters/exchange/exchange_cost.h"
#include "filters/tree/bloom_tree.h"
#include "filters/tree/bloom_tree_rates.h"
#ifdef BECKON_ZSTD
#include <zstd.h>
#endif

using namespace beckon;
using namespace beckon::bench;
using namespace beckon::filters;

namespace {

/// The rival: one bit at a time, 12-bit probability that follows what it sees, carryless range
/// coder with 32-bit bounds.
class AdaptiveCoder {
 public:
  static Bytes encode(const BitArray& bits) {
    Bytes out;
    std::uint32_t low = 0;
    std::uint32_t high = ~0U;
    std::uint32_t chance = 1U << 15;  // of a one, of 2^16
    for (std::size_t i = 0; i < bits.size(); ++i) {
      std::uint32_t middle = split(low, high, chance);
      if (bits.test(i)) {
        high = middle;
        chance += (65536 - chance) >> rate;
      } else {
        low = middle + 1;
        chance -= chance >> rate;
      }
      for (; (low ^ high) < 1U << 24; low <<= 8, high = high << 8 | 255) {
        out.push_back(static_cast<std::uint8_t>(high >> 24));
      }
    }
    for (int i = 0; i < 4; ++i, low <<= 8) out.push_back(static_cast<std::uint8_t>(low >> 24));
    return out;
  }

  static BitArray decode(std::size_t bits, ByteView in) {
    BitArray out(bits);
    std::uint32_t low = 0;
    std::uint32_t high = ~0U;
    std::uint32_t chance = 1U << 15;
    std::uint32_t code = 0;
    std::size_t at = 0;
    auto next = [&] { return at < in.size() ? in[at++] : std::uint8_t{0}; };
    for (int i = 0; i < 4; ++i) code = code << 8 | next();
    for (std::size_t i = 0; i < bits; ++i) {
      std::uint32_t middle = split(low, high, chance);
      if (code <= middle) {
        out.set(i);
        high = middle;
        chance += (65536 - chance) >> rate;
      } else {
        low = middle + 1;
        chance -= chance >> rate;
      }
      for (; (low ^ high) < 1U << 24; low <<= 8, high = high << 8 | 255) code = code << 8 | next();
    }
    return out;
  }

 private:
  static constexpr unsigned rate = 7;
  static std::uint32_t split(std::uint32_t low, std::uint32_t high, std::uint32_t chance) {
    return low + static_cast<std::uint32_t>(std::uint64_t{high - low} * chance >> 16);
  }
};

BitArray random_bits(std::size_t bits, double fill) {
  Rng rng(11);
  BitArray out(bits);
  for (std::size_t i = 0; i < bits; ++i) {
    if (rng.chance(fill)) out.set(i);
  }
  return out;
}

bool bench_coder(double fill) {
  BitArray bits = random_bits(1 << 20, fill);
  Bytes ours = encode_bits(bits);
  Bytes adaptive = AdaptiveCoder::encode(bits);
  ENSURE(AdaptiveCoder::decode(bits.size(), adaptive) == bits);
  double entropy = entropy_bits(bits) / 8;
  char title[96];
  std::snprintf(title, sizeof title, "coding 1 M bits at fill %.2f, per byte of bits", fill);
  Contest encoding(std::string(title) + ": encode", bits.byte_count());
  Contest decoding(std::string(title) + ": decode", bits.byte_count());
  encoding.add("range coder", [&] { keep(encode_bits(bits)); });
  // Into memory that is there already, as zstd does.
  BitArray decoded(bits.size());
  decoding.add("range coder", [&] {
    decoded = *decode_bits(bits.size(), ours, std::move(decoded));
    keep(decoded.words().data());
  });
  encoding.add("adaptive, bit by bit", [&] { keep(AdaptiveCoder::encode(bits)); });
  decoding.add("adaptive, bit by bit", [&] { keep(AdaptiveCoder::decode(bits.size(), adaptive)); });
  std::size_t zstd_size = 0;
#ifdef BECKON_ZSTD
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  Bytes buffer(ZSTD_compressBound(bits.byte_count()));
  auto compress = [&] {
    return ZSTD_compressCCtx(context.get(), buffer.data(), buffer.size(), bits.bytes().data(),
                             bits.byte_count(), 1);
  };
  zstd_size = compress();
  Bytes packed(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(zstd_size));
  Bytes plain(bits.byte_count());
  encoding.add("zstd -1", [&] { keep(compress()); });
  decoding.add("zstd -1", [&] {
    keep(ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size()));
  });
#endif
  decoding.add("range coder, new memory", [&] { keep(decode_bits(bits.size(), ours)); });
  encoding.run();
  decoding.run();
  ENSURE(decoded == bits);
  encoding.print();
  decoding.print();
  auto size = static_cast<double>(ours.size());
  std::printf("  bytes: entropy %.0f, range coder %zu, adaptive %zu, zstd -1 %zu\n", entropy,
              ours.size(), adaptive.size(), zstd_size);
  bool kept = promise("size / entropy", size / entropy, "<=", fill == 0.02 ? 1.02 : 1.01);
  kept &= promise("adaptive / ours, encode", encoding.ratio(1).median, ">=", 6);
  kept &= promise("adaptive / ours, decode", decoding.ratio(1).median, ">=", 6);
  if (zstd_size > 0 && fill <= 0.1) {
    kept &= promise("zstd -1 / ours, encode", encoding.ratio(2).median, ">=", 1);
    kept &= promise("zstd -1 / ours, decode", decoding.ratio(2).median, ">=", 1);
    kept &= promise("size / size of zstd -1", size / static_cast<double>(zstd_size), "<=", 1);
  }
  return kept;
}

/// As the paper has it (4.5): two hashes of the item, from which all k positions follow.
class PaperFilter {
 public:
  PaperFilter(std::uint32_t bits, std::uint32_t k) : bits_(bits), k_(k) {}
  void insert(ByteView item) {
    each(item, [&](std::uint64_t at) { return bits_.set(at), true; });
  }
  bool may_contain(ByteView item) const {
    return each(item, [&](std::uint64_t at) { return bits_.test(at); });
  }

 private:
  template <typename Visit>
  bool each(ByteView item, Visit visit) const {
    std::uint64_t first = xxh3_64(item, 1);
    std::uint64_t second = xxh3_64(item, 2);
    for (std::uint32_t i = 1; i <= k_; ++i) {
      if (!visit((first + i * second) % bits_.size())) return false;
    }
    return true;
  }
  BitArray bits_;
  std::uint32_t k_;
};

struct PaperRow {
  double root;
  std::vector<TreeLevel> levels;
  double query_ratio;
};

/// A tree beside the plain filter with the same geometric mean, as the paper compares.
void bench_tree(const PaperRow& row) {
  constexpr std::uint32_t n = 20'000;
  std::vector<TreeLevel> levels = row.levels;
  levels[0].bits = static_cast<std::uint32_t>(row.root * n);
  Rng rng(3);
  std::vector<Hash128> members(n);
  for (Hash128& element : members) element = {.low = rng.next(), .high = rng.next()};
  BloomTree tree = *BloomTree::make({.levels = levels});
  for (const Hash128& element : members) tree.insert(element);
  double bits = n * std::log(rates(tree).geometric) / std::log(0.6185);
  auto m = static_cast<std::uint32_t>(std::max(8.0, bits));
  BloomFilter plain(m, BloomFilter::best_k(m, n));
  for (const Hash128& element : members) plain.insert(element);
  PaperFilter papers(m, plain.k());
  Bytes items(20 * std::size_t{n});  // 160 bits each, as in the paper
  rng.fill(items);
  auto item = [&](std::size_t i) { return ByteView(items).subspan(20 * i, 20); };
  for (std::size_t i = 0; i < n; ++i) papers.insert(item(i));
  BloomTree known = *BloomTree::make({.levels = levels});
  BloomFilter known_plain(m, plain.k());
  for (std::size_t i = 0; i < n; ++i) {
    known.insert(xxh3_128(item(i)));
    known_plain.insert(xxh3_128(item(i)));
  }
  char title[96];
  std::snprintf(title, sizeof title, "depth %zu, root %.1f n, plain k %u", levels.size(), row.root,
                plain.k());
  Contest insert(std::string(title) + ": insert", n, 11);
  Contest query(std::string(title) + ": query members", n, 11);
  auto add = [&](const char* name, auto inserting, auto asking) {
    insert.add(name, [=] {
      for (std::size_t i = 0; i < n; ++i) inserting(i);
    });
    query.add(name, [=] {
      for (std::size_t i = 0; i < n; ++i) keep(asking(i));
    });
  };
  add(
      "plain filter", [&](std::size_t i) { plain.insert(members[i]); },
      [&](std::size_t i) { return plain.may_contain(members[i]); });
  add(
      "tree", [&](std::size_t i) { tree.insert(members[i]); },
      [&](std::size_t i) { return tree.may_contain(members[i]); });
  add(
      "the paper's plain filter, from items", [&](std::size_t i) { papers.insert(item(i)); },
      [&](std::size_t i) { return papers.may_contain(item(i)); });
  add(
      "our plain filter, from items", [&](std::size_t i) { known_plain.insert(xxh3_128(item(i))); },
      [&](std::size_t i) { return known_plain.may_contain(xxh3_128(item(i))); });
  add(
      "tree, from items", [&](std::size_t i) { known.insert(xxh3_128(item(i))); },
      [&](std::size_t i) { return known.may_contain(xxh3_128(item(i))); });
  insert.add("tree, many from items", [&] {
    std::array<Hash128, 64> hashed;
    for (std::size_t i = 0; i < n; i += hashed.size()) {
      std::size_t count = std::min(hashed.size(), n - i);
      for (std::size_t j = 0; j < count; ++j) hashed[j] = xxh3_128(item(i + j));
      known.insert_all({hashed.data(), count});
    }
  });
  query.add("tree, many from items", [&] {
    std::array<Hash128, 64> hashed;
    std::array<bool, 64> found;
    for (std::size_t i = 0; i < n; i += hashed.size()) {
      std::size_t count = std::min(hashed.size(), n - i);
      for (std::size_t j = 0; j < count; ++j) hashed[j] = xxh3_128(item(i + j));
      known.may_contain({hashed.data(), count}, found);
      keep(found);
    }
  });
  insert.run();
  query.run();
  insert.print();
  query.print();
  auto over = [&](std::size_t ours, std::size_t rival) {
    return query.timing(ours).median / query.timing(rival).median;
  };
  std::printf(
      "  a query from the item: %.1f times the paper's plain filter, %.1f times ours; many at a "
      "time %.1f and %.1f; the paper measured %.2f\n",
      over(4, 2), over(4, 3), over(5, 2), over(5, 3), row.query_ratio);
}

bool bench_exchange() {
  Rng rng(5);
  std::vector<Hash128> a;
  std::vector<Hash128> b;
  for (int i = 0; i < 19'900; ++i) {
    Hash128 element{.low = rng.next(), .high = rng.next()};
    if (i < 10'000) a.push_back(element);
    if (i >= 9900) b.push_back(element);
  }
  auto tree = progressive_cost(exchange_shape(a.size(), b.size()), a, b);
  ENSURE(tree && tree->common == 100);
  ExchangeCost plain = one_shot_cost(OneShot::plain, 0.01, a, b);
  double rate = best_one_shot_rate(OneShot::plain, a.size(), b.size());
  ExchangeCost best = one_shot_cost(OneShot::plain, rate, a, b);
  std::printf(
      "\n10 k / 10 k / 100 common: tree %lu + %lu bytes in %u rounds, one-shot filter at 1 %% "
      "%lu + %lu, at its best rate %.3f %lu + %lu\n",
      tree->filter_bytes, tree->id_bytes, tree->rounds(), plain.filter_bytes, plain.id_bytes, rate,
      best.filter_bytes, best.id_bytes);
  auto bytes = static_cast<double>(tree->bytes());
  bool kept =
      promise("tree / one-shot at 1 %", bytes / static_cast<double>(plain.bytes()), "<=", 0.6);
  kept &= promise("tree / best one-shot", bytes / static_cast<double>(best.bytes()), "<=", 0.6);
  Contest contest("both sides of an exchange, per element", 20'000, 5);
  contest.add("tree, level by level",
              [&] { keep(progressive_cost(exchange_shape(a.size(), b.size()), a, b)); });
  contest.run();
  contest.print();
  return kept;
}

}  // namespace

int main() {
  bool kept = bench_exchange();
  for (double fill : {0.02, 0.05, 0.1, 0.2, 0.34}) kept &= bench_coder(fill);
  bench_tree({0.5, {{0, 6}, {3, 1}}, 2.36});
  bench_tree({0.5, {{0, 5}, {4, 3}, {3, 2}}, 6.20});
  bench_tree({1, {{0, 6}, {4, 3}}, 3.53});
  bench_tree({1, {{0, 6}, {4, 3}, {3, 2}}, 4.46});
  return kept ? 0 : 1;
}
