// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "node/service/kernel/store.h"

namespace beckon::io {

/// Commits batches on libuv's worker threads, so that the loop never waits for the disk. What waits
/// while one commit runs goes into the next one together (group commit: one sync for all). When a
/// group fails, its batches are tried one by one, so that one bad batch does not fail its
/// neighbours.
///
/// Continuations run on the loop's thread, once each, in the order of the calls, never from inside
/// write(). The caller keeps the store alive and destroys the writer only when it is idle.
class StoreWriter {
 public:
  using Done = std::function<void(Result<void>)>;
  struct Options {
    std::size_t max_waiting_bytes = 32u << 20;  // keys and values; beyond it batches are refused
    std::size_t max_group = 1024;               // batches in one transaction
  };

  StoreWriter(uv_loop_t* loop, service::Store& store, Options options);
  StoreWriter(uv_loop_t* loop, service::Store& store);
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  void write(std::vector<service::Mutation> mutations, Done done);
  bool idle() const { return running_.empty() && waiting_.empty(); }
  void when_idle(std::function<void()> action);  // at once if idle now

  std::uint64_t commits() const { return commits_; }  // groups so far, for the counters
  std::uint64_t batches() const { return batches_; }

 private:
  struct Batch {
    std::vector<service::Mutation> mutations{};
    Done done{};
    Result<void> result{};
    bool refused = false;
  };

  void start();
  void run();       // on a worker
  void complete();  // on the loop
  static void run_group(service::Store& store, std::vector<Batch>& group);

  uv_loop_t* loop_;
  service::Store& store_;
  Options options_;
  uv_work_t work_{};
  std::vector<Batch> running_{};  // the worker's alone between start() and complete()
  std::vector<Batch> waiting_{};
  std::size_t waiting_bytes_ = 0;
  std::uint64_t commits_ = 0;
  std::uint64_t batches_ = 0;
  std::function<void()> on_idle_{};
};

}  // namespace beckon::io
