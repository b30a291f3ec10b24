// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "node/service/kernel/store.h"

namespace beckon::service {

/// A Store that lives in memory and can fail the way disks do. The simulator gives one to each node
/// and keeps it while the node is down: the object is the disk, not the process.
///
/// Faults are asked for by the test and happen exactly where it says; without any, every commit is
/// kept. A failed commit changes nothing.
class MemoryStore final : public Store {
 public:
  using Contents = std::map<Table, std::map<Bytes, Bytes>>;

  Result<void> commit(const std::vector<Mutation>& batch) override;
  Result<std::optional<Bytes>> get(Table table, ByteView key) const override;
  Result<void> scan(Table table, ByteView from, const Visit& visit) const override;

  void fail_commit(std::uint64_t nth) { fail_at_ = commits_ + nth; }  // 1 is the next one
  void limit_bytes(std::size_t bytes) { capacity_ = bytes; }          // keys and values together
  void lose_syncs(bool lose);  // while on, commits report success but do not survive power_loss()
  void power_loss();           // forgets every commit whose sync was lost
  void wipe();                 // an empty disk in its place

  Contents snapshot() const { return now_; }
  void restore(Contents contents);  // the disk goes back to an older state

  std::uint64_t commits() const { return commits_; }  // attempts, failed ones included
  std::size_t bytes() const { return bytes_; }

 private:
  static std::size_t size_of(const Contents& contents);
  std::size_t size_after(const std::vector<Mutation>& batch) const;

  Contents now_{};
  std::optional<Contents> synced_{};  // what power_loss() goes back to, while syncs are lost
  std::size_t bytes_ = 0;
  std::size_t capacity_ = SIZE_MAX;
  std::uint64_t commits_ = 0;
  std::uint64_t fail_at_ = 0;
};

}  // namespace beckon::service
