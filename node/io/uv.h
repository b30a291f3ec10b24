// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"

/// libuv's handles as C++ objects. libuv frees late: a handle may be touched until its close
/// callback has run. So every object here owns a small heap state that outlives it until then, and
/// an object may be destroyed at any moment, from inside its own action too; no action runs later.
/// Actions must not throw.
namespace beckon::io::uv {

/// One event loop. Destroying it ends what is still closing; every handle made on it must be
/// destroyed first.
class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run() { uv_run(&loop_, UV_RUN_DEFAULT); }  // until stop() or until no handle is left
  bool run_once() { return uv_run(&loop_, UV_RUN_ONCE) != 0; }  // waits for at least one event
  void run_ready() { uv_run(&loop_, UV_RUN_NOWAIT); }
  void stop() { uv_stop(&loop_); }

  Time now() const;   // read from the system
  Time turn() const;  // when this turn of the loop began, to the millisecond: costs nothing
  uv_loop_t* raw() { return &loop_; }

 private:
  uv_loop_t loop_{};
};

WallTime wall_now();

namespace detail {
template <typename Raw>
struct State;
template <typename Raw>
struct Close {
  void operator()(State<Raw>* state) const noexcept;
};
template <typename Raw>
using Handle = std::unique_ptr<State<Raw>, Close<Raw>>;
}  // namespace detail

class Timer {
 public:
  explicit Timer(Loop& loop);
  ~Timer();
  void start(Duration delay, std::function<void()> action, Duration repeat = Duration::zero());
  void stop();

 private:
  detail::Handle<uv_timer_t> handle_;
};

/// Runs its action each time just before the loop waits: the place to do once what many events of
/// one turn asked for.
class Prepare {
 public:
  Prepare(Loop& loop, std::function<void()> action);
  ~Prepare();

 private:
  detail::Handle<uv_prepare_t> handle_;
};

/// Wakes the loop from another thread; several sends may become one action.
class Async {
 public:
  Async(Loop& loop, std::function<void()> action);
  ~Async();
  void send() const;

 private:
  detail::Handle<uv_async_t> handle_;
};

/// Watches a descriptor that somebody else owns and closes later than this object.
class Poll {
 public:
  Poll(Loop& loop, int descriptor);
  ~Poll();
  void start(int events,
             std::function<void(int events)> action);  // UV_READABLE | UV_WRITABLE; 0: error
  void stop();

 private:
  detail::Handle<uv_poll_t> handle_;
};

class Signal {
 public:
  Signal(Loop& loop, int number, std::function<void()> action);
  ~Signal();

 private:
  detail::Handle<uv_signal_t> handle_;
};

/// A numeric socket address, IPv4 or IPv6.
struct Endpoint {
  sockaddr_storage storage{};

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  std::string host() const;  // without brackets
  std::uint16_t port() const;
  std::string text() const;  // "127.0.0.1:7000", "[::1]:7000"
  static std::optional<Endpoint> numeric(const std::string& host, std::uint16_t port);
};

/// A TCP stream or a listening socket. One write is under way at a time.
class Tcp {
 public:
  using Status = std::function<void(int status)>;              // 0 or a negative libuv error
  using Received = std::function<void(int status, ByteView)>;  // status < 0: the stream ended

  explicit Tcp(Loop& loop);
  ~Tcp();
  Tcp(Tcp&&) noexcept;
  Tcp& operator=(Tcp&&) noexcept;

  Result<void> listen(const Endpoint& at, int backlog, Status incoming);  // [::]: IPv4 as well
  Result<Tcp> accept();  // inside or after `incoming`; the next `incoming` waits for it
  void connect(const Endpoint& to, Status done);

  /// The bytes are valid during the call only. At most 64 KiB in one turn of the loop, so that a
  /// stream that always has more does not hold up the others.
  void read_start(Received received);
  void read_stop();
  /// Writes what the kernel takes at once and keeps a copy of the rest; true when nothing is left.
  /// Otherwise `done` runs when the rest is written. The caller waits for it before writing again.
  Result<bool> write(ByteView bytes, Status done);

  Endpoint local() const;
  Endpoint remote() const;  // IPv4 as IPv4, whatever socket took it

 private:
  Loop* loop_;
  detail::Handle<uv_tcp_t> handle_;
};

/// Looks a host name up without blocking, once. `done` runs later, unless the object is gone by
/// then.
class Resolver {
 public:
  using Done = std::function<void(Result<std::vector<Endpoint>>)>;
  Resolver() = default;
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;
  Result<void> start(Loop& loop, const std::string& host, std::uint16_t port, Done done);

 private:
  struct Request;
  Request* request_ = nullptr;  // owns itself: libuv may finish it after we are gone
};

/// The same, blocking: for what happens once, before the loop runs.
Result<std::vector<Endpoint>> resolve_now(const std::string& host, std::uint16_t port);

Error error_of(int status, const std::string& what);

}  // namespace beckon::io::uv
