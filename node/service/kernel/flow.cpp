// SPDX-License-Identifier: MIT
#include "node/service/kernel/flow.h"

namespace beckon::service {

void flow::Run::run(Handle frame) {
  on_stack_ = true;
  next_ = frame;
  while (next_ && !given_up()) std::exchange(next_, {}).resume();
  if (!given_up() && over()) {
    scope_->ending(*this);
    finish();
    if (!given_up()) scope_->ended(*this);
  }
  on_stack_ = false;
  auto last = std::move(self_);
}

/// Its frames go back to who called run(); nothing of the Scope is touched after the waiting flow.
void Scope::ended(flow::Run& run) {
  run.self_ = std::move(*run.place_);
  ending_.erase(run.place_);
  if (waiting_ == nullptr || !waiting_->reached()) return;
  Fewer& waiting = *std::exchange(waiting_, nullptr);
  waiting.run_->run(waiting.frame_);
}

void Scope::clear() {
  running_.splice(running_.end(), ending_);
  while (!running_.empty()) {
    auto run = std::move(running_.front());
    running_.pop_front();
    if (run->on_stack_) {
      flow::Run& on_stack = *run;
      on_stack.self_ = std::move(run);
    }
  }
}

Pending<Result<Frame>> ask(Context& context, const PeerRef& to, FrameType type, Bytes body,
                           Duration timeout) {
  return {context,
          [&](auto answer) { context.ask(to, raw(type), std::move(body), timeout, answer); }};
}

Pending<Result<Owner>> lookup(Context& context, const Id& key) {
  return {context, [&](auto answer) { context.lookup(key, answer); }};
}

Pending<Result<Owner>> recall(Context& context, const Id& key) {
  return {context, [&](auto answer) { context.recall(key, answer); }};
}

Pending<Result<void>> write(Context& context, std::vector<Mutation> mutations) {
  return {context, [&](auto answer) { context.write(std::move(mutations), answer); }};
}

Pending<void> pause(Context& context, Duration time) {
  // With too many timers set, it is better to go on early than never.
  return {context, [&](auto answer) {
            if (!context.after(time, answer)) context.after(Duration::zero(), answer);
          }};
}

}  // namespace beckon::service
