// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/log.h"
#include "base/rng.h"
#include "base/secret_rng.h"
#include "base/time.h"
#include "chord/frame.h"
#include "node/service/kernel/event.h"
#include "node/service/kernel/store.h"
#include "node/service/kernel/timers.h"
#include "node/service/kernel/waiters.h"

namespace beckon::service {

using chord::Frame;
using chord::Id;
using chord::PeerRef;

/// A request that came in, to be answered once, now or later. Plain data: keep a copy to answer
/// after a write is durable. Answering a request whose peer is gone does nothing.
struct Request {
  PeerRef from{};
  std::uint8_t type{};
  std::uint64_t number{};
  Bytes body{};
};

/// Who is responsible for a key: the owner and the peers after it, nearest first, as seen by a
/// lookup.
struct Owner {
  PeerRef owner{};
  std::vector<PeerRef>
      successors{};         // the owner's own list: owner + first r-1 of these hold the copies
  std::size_t contacts{};   // requests the lookup took
  bool remembered = false;  // from an earlier lookup, nobody was asked: it may not be so any more

  /// The peers that hold so many copies.
  std::vector<PeerRef> holders(std::size_t copies) const {
    std::vector<PeerRef> out{owner};
    for (const PeerRef& peer : successors) {
      if (out.size() < copies) out.push_back(peer);
    }
    return out;
  }
};

class Context;

/// An action that waits for its moment. Destroying the Timer, or giving it another one, cancels the
/// action; so it is a member of what it watches over.
class Timer {
 public:
  Timer() = default;
  Timer(Context& context, TimerId id) : context_(&context), id_(id) {}
  Timer(Timer&& other) noexcept : context_(other.context_), id_(std::exchange(other.id_, 0)) {}
  Timer& operator=(Timer&& other) noexcept;
  ~Timer() { cancel(); }

  void cancel();
  explicit operator bool() const;  // it waits: neither run nor running, cancelled or refused

 private:
  Context* context_ = nullptr;
  TimerId id_ = 0;
};

/// What a part of the service may know of, and do to, the world outside itself. One object stands
/// behind it in the daemon and in the whole-node simulator; unit tests have a small twin of it.
///
/// Every continuation is called exactly once, never from inside the call that was given it, and in
/// an order that depends on inputs and seed only. Work done in one continuation is bounded.
class Context {
 public:
  using ReplyDone =
      std::function<void(Result<Frame>)>;  // Error unavailable: silence or a dead link
  using OwnerDone = std::function<void(Result<Owner>)>;
  using WriteDone = std::function<void(Result<void>)>;

  virtual ~Context() = default;

  virtual Now now() const = 0;
  virtual Rng& rng() = 0;
  virtual SecretRng& secrets() = 0;  // for keys and nonces an adversary must not guess
  virtual const PeerRef& self() const = 0;

  /// The ring as this node sees it now.
  virtual std::optional<PeerRef> predecessor() const = 0;
  virtual std::vector<PeerRef> successors() const = 0;
  virtual void lookup(const Id& key, OwnerDone done) = 0;
  /// Asks nobody if the owner is remembered. For askers whom a peer tells if it is not the owner.
  virtual void recall(const Id& key, OwnerDone done) = 0;
  virtual bool linked(const Id& peer) const = 0;  // if it is silent, it is slow rather than gone

  /// Asks a peer and gets its reply, or an error once the time-out has run. An error frame of the
  /// peer arrives as an Error too. Asking self is allowed and costs no network.
  virtual void ask(const PeerRef& to, std::uint8_t type, Bytes body, Duration timeout,
                   ReplyDone done) = 0;
  virtual void reply(const Request& request, std::uint8_t type, Bytes body) = 0;
  virtual void refuse(const Request& request, const Error& error) = 0;

  /// Makes the mutations durable, all or none, in the order of the calls.
  virtual void write(std::vector<Mutation> mutations, WriteDone done) = 0;
  virtual const Store& store()
      const = 0;  // for loading at start and reading back what is not in memory

  /// Runs the action later, in this step if the delay is zero. A node with too many timers refuses
  /// more: such a Timer does not wait.
  [[nodiscard]] Timer timer(Duration delay, Timers::Action action) {
    return {*this, set_timer(delay, std::move(action))};
  }
  /// The same without a way to cancel it, for what lives as long as the node.
  bool after(Duration delay, Timers::Action action) {
    return set_timer(delay, std::move(action)) != 0;
  }

  virtual void emit(Event event) = 0;  // for whoever listens on the API
  virtual void log(LogLevel level, std::string text, LogFields fields = {}) = 0;

  Waiters& waiters() { return waiters_; }  // for flows (flow.h)

 protected:
  friend class Timer;
  virtual TimerId set_timer(Duration delay, Timers::Action action) = 0;  // 0: refused
  virtual void cancel_timer(TimerId id) = 0;
  virtual bool timer_waits(TimerId id) const = 0;

 private:
  Waiters waiters_{};
};

inline void Timer::cancel() {
  if (id_ != 0) context_->cancel_timer(std::exchange(id_, 0));
}

inline Timer& Timer::operator=(Timer&& other) noexcept {
  cancel();
  context_ = other.context_;
  id_ = std::exchange(other.id_, 0);
  return *this;
}

inline Timer::operator bool() const { return id_ != 0 && context_->timer_waits(id_); }

}  // namespace beckon::service
