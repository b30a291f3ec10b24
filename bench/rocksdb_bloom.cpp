#include "bench/rocksdb_bloom.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <array>

// The public FilterPolicy hands out builders and readers whose classes the public headers only
// name. These are their virtual functions, in the order of the library's tables of 7.8; nothing
// else is used.
static_assert(ROCKSDB_MAJOR == 7, "check the order of virtual functions in this RocksDB version");

namespace rocksdb {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() = default;
  virtual void AddKey(const Slice& key) = 0;
  virtual std::size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buffer) = 0;
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;
  virtual bool MayMatch(const Slice& key) = 0;
  virtual void MayMatch(int count, Slice** keys, bool* answers) = 0;
};

}  // namespace rocksdb

namespace beckon::bench {

struct RocksdbBloom::Parts {
  std::unique_ptr<const rocksdb::FilterPolicy> policy;
  std::unique_ptr<const char[]> buffer;
  rocksdb::Slice contents;
  std::unique_ptr<rocksdb::FilterBitsReader> reader;
};

RocksdbBloom::RocksdbBloom(double bits_per_key) : parts_(std::make_unique<Parts>()) {
  parts_->policy.reset(rocksdb::NewBloomFilterPolicy(bits_per_key));
}

RocksdbBloom::~RocksdbBloom() = default;

void RocksdbBloom::build(std::span<const std::string_view> keys) {
  rocksdb::BlockBasedTableOptions options;
  options.format_version = 5;
  rocksdb::FilterBuildingContext context(options);
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      parts_->policy->GetBuilderWithContext(context));
  for (std::string_view key : keys) builder->AddKey(rocksdb::Slice(key));
  parts_->contents = builder->Finish(&parts_->buffer);
  parts_->reader.reset(parts_->policy->GetFilterBitsReader(parts_->contents));
}

bool RocksdbBloom::may_contain(std::string_view key) const {
  return parts_->reader->MayMatch(rocksdb::Slice(key));
}

std::size_t RocksdbBloom::count_members(std::span<const std::string_view> keys) const {
  constexpr std::size_t batch = 32;
  std::array<rocksdb::Slice, batch> slices;
  std::array<rocksdb::Slice*, batch> pointers;
  std::array<bool, batch> answers;
  std::size_t members = 0;
  for (std::size_t at = 0; at < keys.size(); at += batch) {
    std::size_t count = std::min(batch, keys.size() - at);
    for (std::size_t i = 0; i < count; ++i) {
      slices[i] = keys[at + i];
      pointers[i] = &slices[i];
    }
    parts_->reader->MayMatch(static_cast<int>(count), pointers.data(), answers.data());
    members += static_cast<std::size_t>(
        std::count(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(count), true));
  }
  return members;
}

std::size_t RocksdbBloom::bytes() const { return parts_->contents.size(); }

}  // namespace beckon::bench
