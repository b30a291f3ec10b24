// SPDX-License-Identifier: MIT
#include "tests/world/memory_store.h"

#include <algorithm>

namespace beckon::service {

Result<void> MemoryStore::commit(const std::vector<Mutation>& batch) {
  ++commits_;
  if (commits_ == fail_at_) return Error{ErrorCode::internal, "the disk reported a write error"};
  std::size_t after = size_after(batch);
  if (after > capacity_ && after > bytes_) return Error{ErrorCode::internal, "the disk is full"};
  for (const Mutation& m : batch) {
    if (m.value) {
      now_[m.table].insert_or_assign(m.key, *m.value);
    } else {
      now_[m.table].erase(m.key);
    }
  }
  bytes_ = after;
  return {};
}

Result<std::optional<Bytes>> MemoryStore::get(Table table, ByteView key) const {
  auto rows = now_.find(table);
  if (rows == now_.end()) return std::optional<Bytes>{};
  auto row = rows->second.find(Bytes(key.begin(), key.end()));
  return row == rows->second.end() ? std::optional<Bytes>{} : std::optional<Bytes>{row->second};
}

Result<void> MemoryStore::scan(Table table, ByteView from, const Visit& visit) const {
  auto rows = now_.find(table);
  if (rows == now_.end()) return {};
  auto row = rows->second.lower_bound(Bytes(from.begin(), from.end()));
  for (; row != rows->second.end(); ++row) {
    if (!visit(row->first, row->second)) break;
  }
  return {};
}

void MemoryStore::lose_syncs(bool lose) {
  if (lose && !synced_) synced_ = now_;
  if (!lose) synced_.reset();
}

void MemoryStore::power_loss() {
  if (synced_) restore(*synced_);
}

void MemoryStore::wipe() { restore({}); }

void MemoryStore::restore(Contents contents) {
  now_ = std::move(contents);
  bytes_ = size_of(now_);
  if (synced_) synced_ = now_;
}

std::size_t MemoryStore::size_of(const Contents& contents) {
  std::size_t sum = 0;
  for (const auto& [table, rows] : contents) {
    for (const auto& [key, value] : rows) sum += key.size() + value.size();
  }
  return sum;
}

std::size_t MemoryStore::size_after(const std::vector<Mutation>& batch) const {
  // A batch may touch one key more than once, so the last word on each key counts.
  std::map<std::pair<Table, ByteView>, const Mutation*, decltype([](const auto& a, const auto& b) {
             if (a.first != b.first) return a.first < b.first;
             return std::lexicographical_compare(a.second.begin(), a.second.end(), b.second.begin(),
                                                 b.second.end());
           })>
      last;
  for (const Mutation& m : batch) last[{m.table, m.key}] = &m;
  std::size_t size = bytes_;
  for (const auto& [where, m] : last) {
    auto rows = now_.find(m->table);
    if (rows != now_.end()) {
      auto row = rows->second.find(m->key);
      if (row != rows->second.end()) size -= row->first.size() + row->second.size();
    }
    if (m->value) size += m->key.size() + m->value->size();
  }
  return size;
}

}  // namespace beckon::service
