// How quick are our filters? The blocked Bloom filter beside RocksDB's and a textbook one, at 10
// bits per key and the same rate of mistakes; and the GO filter of a whole profile from prehashed
// seeds.
#include <array>
#include <memory>

#include "base/rng.h"
#include "bench/harness.h"
#include "bench/rocksdb_bloom.h"
#include "filters/blocked_bloom.h"
#include "filters/go_filter.h"

using namespace beckon;
using namespace beckon::bench;
using namespace beckon::filters;

namespace {

constexpr double bits_per_key = 10;

/// As in a textbook: 7 seeded hashes of the key, each modulo the length.
class TextbookBloom {
 public:
  explicit TextbookBloom(std::size_t bits) : bits_(bits) {}
  void insert(std::string_view key) {
    for (std::uint64_t j = 0; j < 7; ++j) bits_.set(xxh3_64(as_bytes(key), j) % bits_.size());
  }
  bool may_contain(std::string_view key) const {
    for (std::uint64_t j = 0; j < 7; ++j) {
      if (!bits_.test(xxh3_64(as_bytes(key), j) % bits_.size())) return false;
    }
    return true;
  }

 private:
  BitArray bits_;
};

/// Keys of 16 bytes, side by side in memory.
class Keys {
 public:
  Keys(Rng& rng, std::size_t count) : bytes_(16 * count) {
    rng.fill(bytes_);
    for (std::size_t i = 0; i < count; ++i)
      views_.push_back(as_text(ByteView(bytes_).subspan(16 * i, 16)));
  }
  operator std::span<const std::string_view>() const { return views_; }

 private:
  Bytes bytes_;
  std::vector<std::string_view> views_;
};

/// Calls `use` with the keys as views, 32 at a time.
template <typename Use>
void in_batches(std::span<const std::string_view> keys, Use use) {
  std::array<ByteView, 32> views;
  for (std::size_t at = 0; at < keys.size(); at += views.size()) {
    std::size_t count = std::min(views.size(), keys.size() - at);
    for (std::size_t i = 0; i < count; ++i) views[i] = as_bytes(keys[at + i]);
    use(std::span<const ByteView>(views).first(count));
  }
}

void insert_all(BlockedBloomFilter& filter, std::span<const std::string_view> keys) {
  in_batches(keys, [&](std::span<const ByteView> some) { filter.insert(some); });
}

std::size_t count_members(const BlockedBloomFilter& filter,
                          std::span<const std::string_view> keys) {
  std::array<bool, 32> answers;
  std::size_t members = 0;
  in_batches(keys, [&](std::span<const ByteView> some) {
    filter.may_contain(some, answers);
    for (std::size_t i = 0; i < some.size(); ++i) members += answers[i] ? 1 : 0;
  });
  return members;
}

template <typename Filter>
std::size_t count_one_by_one(const Filter& filter, std::span<const std::string_view> keys) {
  std::size_t members = 0;
  for (std::string_view key : keys) members += filter.may_contain(key) ? 1 : 0;
  return members;
}

struct Blocked {  // one key at a time, from its bytes
  const BlockedBloomFilter& filter;
  bool may_contain(std::string_view key) const { return filter.may_contain(as_bytes(key)); }
};

struct Filters {
  const BlockedBloomFilter& ours;
  const RocksdbBloom& rocksdb;
  const TextbookBloom& textbook;
};

/// The same questions one by one and in batches. What is not promised is printed only.
bool lookups(const std::string& who, std::span<const std::string_view> asked,
             const Filters& filters, bool promised) {
  std::string title = "look up " + std::to_string(asked.size()) + " " + who;
  Contest single(title + ", one call each", asked.size());
  single.add("ours", [&] { keep(count_one_by_one(Blocked{filters.ours}, asked)); });
  single.add("RocksDB", [&] { keep(count_one_by_one(filters.rocksdb, asked)); });
  single.run();
  single.print();
  // Apart, for it would drive the other two out of the nearest cache, and only the next one pays.
  Contest textbook(title + ", one call each, a textbook filter", asked.size());
  textbook.add("ours", [&] { keep(count_one_by_one(Blocked{filters.ours}, asked)); });
  textbook.add("textbook", [&] { keep(count_one_by_one(filters.textbook, asked)); });
  textbook.run();
  textbook.print();
  Contest batch(title + ", in batches", asked.size());
  batch.add("ours", [&] { keep(count_members(filters.ours, asked)); });
  batch.add("RocksDB", [&] { keep(filters.rocksdb.count_members(asked)); });
  batch.run();
  batch.print();
  if (!promised) return true;
  bool kept = promise("single lookup against RocksDB", single.ratio(1).median, ">=", 2);
  kept &= promise("batched lookup against RocksDB", batch.ratio(1).median, ">=", 2);
  return kept;
}

bool bloom_contest(std::size_t n) {
  Rng rng(n);
  Keys member_keys(rng, n);
  Keys stranger_keys(rng, n);
  Keys many_keys(rng, 2000000);
  std::span<const std::string_view> members = member_keys;
  std::span<const std::string_view> strangers = stranger_keys;
  std::span<const std::string_view> many = many_keys;
  auto bits = static_cast<std::uint64_t>(bits_per_key * static_cast<double>(n));
  BlockedBloomFilter ours = BlockedBloomFilter::for_keys(n, bits_per_key);
  RocksdbBloom rocksdb(bits_per_key);
  TextbookBloom textbook(bits);
  insert_all(ours, members);
  rocksdb.build(members);
  for (std::string_view key : members) textbook.insert(key);
  Filters filters{ours, rocksdb, textbook};
  std::printf(
      "\n== %zu keys of 16 bytes; memory: ours %.2f, RocksDB %.2f bits per key; k = %u ==\n", n,
      double(ours.bits()) / double(n), 8 * double(rocksdb.bytes()) / double(n), ours.k());

  Contest insert("insert, from key bytes to a finished filter", n);
  insert.add("ours", [&] {
    BlockedBloomFilter filter = BlockedBloomFilter::for_keys(n, bits_per_key);
    insert_all(filter, members);
    keep(filter);
  });
  insert.add("RocksDB", [&] {
    RocksdbBloom filter(bits_per_key);
    filter.build(members);
    keep(filter);
  });
  insert.add("textbook", [&] {
    TextbookBloom filter(bits);
    for (std::string_view key : members) filter.insert(key);
    keep(filter);
  });
  insert.run();
  insert.print();

  bool kept = promise("insert against RocksDB", insert.ratio(1).median, ">=", 2);
  for (bool present : {true, false}) {
    auto all = present ? members : strangers;
    const char* who = present ? "members" : "strangers";
    // So few that their own bytes come from the cache: then the filter is what is measured.
    kept &= lookups(who, all.first(std::min<std::size_t>(n, 20000)), filters, true);
    if (n > 20000) lookups(who, all, filters, false);
  }

  double asked = static_cast<double>(many.size());
  double our_rate = static_cast<double>(count_members(ours, many)) / asked;
  double their_rate = static_cast<double>(rocksdb.count_members(many)) / asked;
  double textbook_rate = static_cast<double>(count_one_by_one(textbook, many)) / asked;
  std::printf("\nfalse positives: ours %.3f %%, RocksDB %.3f %%, textbook %.3f %%\n",
              100 * our_rate, 100 * their_rate, 100 * textbook_rate);
  kept &= promise("our rate over RocksDB's", our_rate / their_rate, "<=", 1.03);
  return kept;
}

/// 24 attributes in 512 bits: k = 15 fills half of it.
bool profile_contest() {
  constexpr std::size_t profiles = 1000;
  constexpr std::size_t elements = 24;
  Rng rng(24);
  std::vector<GoAttribute> attributes;
  for (std::uint64_t i = 0; i < 4; ++i) {
    attributes.push_back(
        {.seed = AttributeSeed{rng.next()}, .scope = {0, 5000}, .range = {.d = 5, .s = 1}});
  }
  auto made = GoLayout::create({.bits = 512, .k = 15, .attributes = attributes});
  auto layout = std::make_shared<const GoLayout>(*made);
  std::vector<Hash128> seeds(profiles * elements);
  for (Hash128& seed : seeds) seed = {rng.next(), rng.next()};
  auto of_profile = [&](std::size_t i) { return std::span(seeds).subspan(i * elements, elements); };

  Contest build("GO filter of one profile: 24 prehashed elements, m = 512, k = 15", profiles);
  build.add("ours, a new filter each", [&] {
    for (std::size_t i = 0; i < profiles; ++i) {
      GoFilter filter(layout);
      filter.insert_texts(of_profile(i));
      keep(filter);
    }
  });
  build.add("ours, bits only", [&] {
    for (std::size_t i = 0; i < profiles; ++i) {
      std::array<std::uint64_t, 8> bits{};
      set_positions(of_profile(i), 15, Modulus(512), bits);
      keep(bits);
    }
  });
  build.add("position by position", [&] {
    for (std::size_t i = 0; i < profiles; ++i) {
      GoFilter filter(layout);
      for (const Hash128& seed : of_profile(i)) filter.insert_text(seed);
      keep(filter);
    }
  });
  build.add("20 elements, 4 ranges of 20 groups", [&] {
    for (std::size_t i = 0; i < profiles; ++i) {
      GoFilter filter(layout);
      filter.insert_texts(of_profile(i).first(20));
      for (const GoAttribute& attribute : layout->attributes()) {
        keep(filter.insert_range(attribute, 1000, 1099).has_value());
      }
      keep(filter);
    }
  });
  build.run();
  build.print();
  return promise("ns per profile", build.timing(0).median, "<=", 180);
}

}  // namespace

int main() {
  bool kept = profile_contest();
  kept &= bloom_contest(10000);
  kept &= bloom_contest(1000000);
  return kept ? 0 : 1;
}
