// SPDX-License-Identifier: MIT
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "node/service/kernel/context.h"
#include "node/service/kernel/frames.h"

// Work whose steps follow one another over several waits is a coroutine, a flow. How one is
// written, and why in no other way: docs/architecture.md, "Work that waits".

namespace beckon::service {

class Scope;
template <typename T>
class Flow;

namespace flow {

using Handle = std::coroutine_handle<>;
template <typename T>
using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

/// A flow that a Scope started, with the flows it awaits: of their frames one runs or waits.
/// Frames do not call each other. One that awaits another names it in `next`, and run() goes on
/// with that, so that awaiting takes no stack.
class Run {
 public:
  Run() = default;
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void run(Handle frame);
  void next(Handle frame) { next_ = frame; }
  bool given_up() const { return self_ != nullptr; }

 private:
  friend class service::Scope;
  virtual bool over() const = 0;
  virtual void finish() = 0;  // destroys the frame and hands its value over

  Scope* scope_ = nullptr;
  std::list<std::unique_ptr<Run>>::iterator place_{};
  Handle next_{};
  bool on_stack_ = false;
  std::unique_ptr<Run> self_{};  // while on the stack without a Scope: run() ends it
};

struct Promise {
  Run* run = nullptr;
  Handle caller{};

  std::suspend_always initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept {
    struct BackToCaller {
      Promise& promise;
      bool await_ready() noexcept { return false; }
      void await_suspend(Handle) noexcept { promise.run->next(promise.caller); }
      void await_resume() noexcept {}
    };
    return BackToCaller{*this};
  }
  [[noreturn]] void unhandled_exception() { std::terminate(); }
};

template <typename T>
struct PromiseOf : Promise {
  std::optional<T> value{};
  Flow<T> get_return_object();
  void return_value(T out) { value.emplace(std::move(out)); }
};
template <>
struct PromiseOf<void> : Promise {
  std::optional<std::monostate> value{};
  Flow<void> get_return_object();
  void return_void() { value.emplace(); }
};

}  // namespace flow

/// A coroutine. It runs when a Scope starts it or another flow awaits it, once; who holds it owns
/// its frame with all that waits in it.
template <typename T>
class [[nodiscard]] Flow {
 public:
  using promise_type = flow::PromiseOf<T>;

  explicit Flow(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  Flow(Flow&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Flow& operator=(Flow&&) = delete;
  ~Flow() {
    if (frame_) frame_.destroy();
  }

  bool await_ready() const { return false; }
  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    frame_.promise().caller = caller;
    begin(*caller.promise().run);
  }
  T await_resume() {
    [[maybe_unused]] auto value = std::move(*frame_.promise().value);
    std::exchange(frame_, {}).destroy();
    if constexpr (!std::is_void_v<T>) return value;
  }

  void begin(flow::Run& run) {
    frame_.promise().run = &run;
    run.next(frame_);
  }
  bool over() const { return frame_.done(); }

 private:
  std::coroutine_handle<promise_type> frame_;
};

/// Owns flows that run, at most so many. Destroying it, or clear(), destroys them where they wait;
/// one that is on the stack just then ends at its next wait. It is the last member of its class:
/// what its flows use is destroyed after it.
///
/// As a local of a flow it is a window: that flow awaits room for one more, or that all are over.
class Scope {
 public:
  explicit Scope(std::size_t limit) : limit_(limit) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { clear(); }

  /// Runs the flow up to its first wait. Who starts one asks full() before.
  void start(Flow<void> started) {
    start(std::move(started), [] {});
  }
  /// `done` gets its value when its frame is gone and its place is free.
  template <typename T, typename Done>
  void start(Flow<T> started, Done done);

  bool full() const { return running_.size() >= limit_; }
  std::size_t size() const { return running_.size(); }
  void clear();

  /// Awaited by one flow at a time.
  class Fewer {
   public:
    Fewer(Scope& scope, std::size_t most) : scope_(scope), most_(most) {}
    Fewer(const Fewer&) = delete;
    Fewer& operator=(const Fewer&) = delete;
    ~Fewer() {
      if (scope_.waiting_ == this) scope_.waiting_ = nullptr;
    }
    bool await_ready() const { return false; }
    template <typename Promise>
    bool await_suspend(std::coroutine_handle<Promise> frame) {
      run_ = frame.promise().run;
      frame_ = frame;
      if (reached()) return run_->given_up();
      ENSURE(std::exchange(scope_.waiting_, this) == nullptr);
      return true;
    }
    void await_resume() const {}

   private:
    friend class Scope;
    bool reached() const { return scope_.size() <= most_; }

    Scope& scope_;
    std::size_t most_;
    flow::Run* run_ = nullptr;
    flow::Handle frame_{};
  };
  Fewer room() { return {*this, limit_ - 1}; }
  Fewer idle() { return {*this, 0}; }

 private:
  friend class flow::Run;
  using Runs = std::list<std::unique_ptr<flow::Run>>;
  void ending(flow::Run& run) { ending_.splice(ending_.end(), running_, run.place_); }
  void ended(flow::Run& run);

  std::size_t limit_;
  Runs running_{};
  Runs ending_{};  // over; their `done` is being called
  Fewer* waiting_ = nullptr;
};

namespace flow {

template <typename T, typename Done>
class RunOf final : public Run {
 public:
  RunOf(Flow<T> started, Done done) : flow_(std::move(started)), done_(std::move(done)) {
    flow_.begin(*this);
  }

 private:
  bool over() const override { return flow_.over(); }
  void finish() override {
    if constexpr (std::is_void_v<T>) {
      flow_.await_resume();
      done_();
    } else {
      T value = flow_.await_resume();
      done_(std::move(value));
    }
  }

  Flow<T> flow_;
  Done done_;
};

}  // namespace flow

template <typename T, typename Done>
void Scope::start(Flow<T> started, Done done) {
  ENSURE(!full());
  auto run = std::make_unique<flow::RunOf<T, Done>>(std::move(started), std::move(done));
  flow::Run& begun = *run;
  begun.scope_ = this;
  begun.place_ = running_.insert(running_.end(), std::move(run));
  begun.run(begun.next_);
}

/// An answer on its way: asked for when this is made, awaited once. Destroying it gives the answer
/// up. Two that are made before the first is awaited are on their way beside each other.
template <typename T>
class [[nodiscard]] Pending final : Waiter {
 public:
  /// What the asked part calls with the answer, or drops.
  class Answer {
   public:
    template <typename... V>
    void operator()(V&&... value) const {
      if (auto* pending = static_cast<Pending*>(waiters_->find(ticket_)))
        pending->arrive(std::forward<V>(value)...);
    }

   private:
    friend class Pending;
    Answer(Waiters& waiters, Waiters::Ticket ticket) : waiters_(&waiters), ticket_(ticket) {}
    Waiters* waiters_;
    Waiters::Ticket ticket_;
  };

  /// `ask` gets the Answer and gives it to whom it asks.
  template <typename Ask>
  Pending(Context& context, Ask&& ask)
      : waiters_(context.waiters()), ticket_(waiters_.enter(*this)) {
    ask(Answer(waiters_, ticket_));
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() { waiters_.leave(ticket_); }

  bool await_ready() const { return false; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> frame) {
    run_ = frame.promise().run;
    frame_ = frame;
    return !value_ || run_->given_up();
  }
  T await_resume() {
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  template <typename... V>
  void arrive(V&&... value) {
    if (value_) return;
    value_.emplace(std::forward<V>(value)...);
    if (run_ != nullptr) run_->run(frame_);
  }

  Waiters& waiters_;
  Waiters::Ticket ticket_;
  std::optional<flow::Value<T>> value_{};
  flow::Run* run_ = nullptr;
  flow::Handle frame_{};
};

Pending<Result<Frame>> ask(Context& context, const PeerRef& to, FrameType type, Bytes body,
                           Duration timeout);
Pending<Result<Owner>> lookup(Context& context, const Id& key);
Pending<Result<Owner>> recall(Context& context, const Id& key);
Pending<Result<void>> write(Context& context, std::vector<Mutation> mutations);
Pending<void> pause(Context& context, Duration time);

template <typename T>
Flow<T> flow::PromiseOf<T>::get_return_object() {
  return Flow<T>(std::coroutine_handle<PromiseOf>::from_promise(*this));
}
inline Flow<void> flow::PromiseOf<void>::get_return_object() {
  return Flow<void>(std::coroutine_handle<PromiseOf>::from_promise(*this));
}

}  // namespace beckon::service

/// A flow takes values, for a reference may dangle at its first wait. The first parameter is the
/// object, if the flow is a member.
template <typename T, typename First, typename... Rest>
struct std::coroutine_traits<beckon::service::Flow<T>, First, Rest...> {
  static_assert(!(std::is_reference_v<Rest> || ...), "a flow takes values, not references");
  using promise_type = typename beckon::service::Flow<T>::promise_type;
};
