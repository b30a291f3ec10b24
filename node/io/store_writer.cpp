// SPDX-License-Identifier: MIT
#include "node/io/store_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace beckon::io {

using service::Mutation;

namespace {

std::size_t size_of(const std::vector<Mutation>& mutations) {
  std::size_t sum = 0;
  for (const Mutation& m : mutations) sum += m.key.size() + (m.value ? m.value->size() : 0);
  return sum;
}

}  // namespace

StoreWriter::StoreWriter(uv_loop_t* loop, service::Store& store)
    : StoreWriter(loop, store, Options{}) {}

StoreWriter::StoreWriter(uv_loop_t* loop, service::Store& store, Options options)
    : loop_(loop), store_(store), options_(options) {
  work_.data = this;
}

StoreWriter::~StoreWriter() { ENSURE(idle()); }

void StoreWriter::write(std::vector<Mutation> mutations, Done done) {
  std::size_t size = size_of(mutations);
  Batch batch{.mutations = std::move(mutations), .done = std::move(done)};
  if (waiting_bytes_ + size > options_.max_waiting_bytes) {
    batch.refused = true;
    batch.mutations.clear();
    batch.result = Error{ErrorCode::unavailable, "the disk is too slow: more than " +
                                                     std::to_string(options_.max_waiting_bytes) +
                                                     " bytes wait for it"};
  } else {
    waiting_bytes_ += size;
  }
  ++batches_;
  waiting_.push_back(std::move(batch));
  if (running_.empty()) start();
}

void StoreWriter::when_idle(std::function<void()> action) {
  if (idle()) return action();
  on_idle_ = std::move(action);
}

void StoreWriter::start() {
  auto count = std::min(waiting_.size(), options_.max_group);
  auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  running_.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  for (const Batch& batch : running_) waiting_bytes_ -= size_of(batch.mutations);
  ++commits_;
  int failed = uv_queue_work(
      loop_, &work_, [](uv_work_t* work) { static_cast<StoreWriter*>(work->data)->run(); },
      [](uv_work_t* work, int) { static_cast<StoreWriter*>(work->data)->complete(); });
  ENSURE(failed == 0);  // it can only fail for a missing callback
}

void StoreWriter::run() { run_group(store_, running_); }

void StoreWriter::run_group(service::Store& store, std::vector<Batch>& group) {
  std::vector<Mutation> all;
  for (const Batch& batch : group) {
    all.insert(all.end(), batch.mutations.begin(), batch.mutations.end());
  }
  if (all.empty() || store.commit(all)) return;
  for (Batch& batch : group) {
    if (!batch.refused) batch.result = store.commit(batch.mutations);
  }
}

void StoreWriter::complete() {
  std::vector<Batch> finished = std::exchange(running_, {});
  // The next group goes to the worker first: it writes while the continuations run.
  if (!waiting_.empty()) start();
  for (Batch& batch : finished) batch.done(std::move(batch.result));
  if (idle() && on_idle_) std::exchange(on_idle_, {})();
}

}  // namespace beckon::io
