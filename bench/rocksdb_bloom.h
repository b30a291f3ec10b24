#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace beckon::bench {

/// The Bloom filter of the RocksDB library (format 5, cache-local), reached through its
/// FilterPolicy. Keys are byte strings; the library hashes them itself.
class RocksdbBloom {
 public:
  explicit RocksdbBloom(double bits_per_key);
  ~RocksdbBloom();
  RocksdbBloom(const RocksdbBloom&) = delete;
  RocksdbBloom& operator=(const RocksdbBloom&) = delete;

  void build(std::span<const std::string_view> keys);
  bool may_contain(std::string_view key) const;
  /// The library's own batch, 32 keys a call. Returns how many may be members.
  std::size_t count_members(std::span<const std::string_view> keys) const;
  std::size_t bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace beckon::bench
