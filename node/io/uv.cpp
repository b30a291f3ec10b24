// SPDX-License-Identifier: MIT
#include "node/io/uv.h"

#include <fmt/core.h>
#include <netdb.h>

#include <cstring>
#include <utility>

namespace beckon::io::uv {

namespace detail {

/// What libuv keeps a pointer to. `alive` is false once the C++ object is gone: libuv may still
/// call back while it closes, and then nobody is there to hear it.
template <typename Raw>
struct State {
  Raw raw{};
  bool alive = true;
  std::function<void()> action{};
  std::function<void(int)> status{};  // poll: events
  Tcp::Status incoming{}, connected{}, written{};
  Tcp::Received received{};
  bool sated = false;  // has read its share of this turn
};

template <typename Raw>
void Close<Raw>::operator()(State<Raw>* state) const noexcept {
  state->alive = false;
  uv_close(reinterpret_cast<uv_handle_t*>(&state->raw),
           [](uv_handle_t* handle) noexcept { delete static_cast<State<Raw>*>(handle->data); });
}

namespace {

/// A state whose handle `init` has initialised: only such a handle may be closed.
template <typename Raw, typename Init>
Handle<Raw> make(Init init) {
  auto state = std::make_unique<State<Raw>>();
  ENSURE(init(&state->raw) == 0);
  state->raw.data = state.get();
  return Handle<Raw>(state.release());
}

template <typename Raw>
State<Raw>* state_of(Raw* raw) {
  return static_cast<State<Raw>*>(raw->data);
}

template <typename Raw>
void act(Raw* raw) noexcept {
  State<Raw>* state = state_of(raw);
  if (state->alive) state->action();
}

}  // namespace
}  // namespace detail

using detail::act;
using detail::make;
using detail::state_of;

namespace {

constexpr std::size_t read_size = 64 * 1024;

/// libuv reads right after it has asked for memory, so one buffer serves all streams of a thread.
/// A stream gets it once in a turn of the loop: libuv would go on to 32 times as much while others
/// wait. Lent nothing, it reports UV_ENOBUFS and comes back in the next turn.
void lend_buffer(uv_handle_t* handle, std::size_t, uv_buf_t* out) noexcept {
  thread_local std::vector<char> buffer(read_size);
  auto* state = static_cast<detail::State<uv_tcp_t>*>(handle->data);
  if (std::exchange(state->sated, false)) {
    *out = uv_buf_init(nullptr, 0);
    return;
  }
  *out = uv_buf_init(buffer.data(), static_cast<unsigned>(buffer.size()));
}

struct WriteRequest {
  uv_write_t raw{};
  Bytes rest{};
};

}  // namespace

Error error_of(int status, const std::string& what) {
  return {ErrorCode::unavailable, fmt::format("{}: {}", what, uv_strerror(status))};
}

Loop::Loop() { ENSURE(uv_loop_init(&loop_) == 0); }

Loop::~Loop() {
  while (uv_loop_close(&loop_) == UV_EBUSY) uv_run(&loop_, UV_RUN_ONCE);
}

Time Loop::now() const {
  return Time(std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(uv_hrtime())));
}

Time Loop::turn() const { return Time(std::chrono::milliseconds(uv_now(&loop_))); }

WallTime wall_now() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return WallTime(std::chrono::duration_cast<std::chrono::milliseconds>(since));
}

Timer::Timer(Loop& loop)
    : handle_(make<uv_timer_t>([&](uv_timer_t* t) { return uv_timer_init(loop.raw(), t); })) {}
Timer::~Timer() = default;

void Timer::start(Duration delay, std::function<void()> action, Duration repeat) {
  auto ms = [](Duration d) {
    return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(d).count());
  };
  handle_->action = std::move(action);
  uv_update_time(handle_->raw.loop);  // the loop's cached moment may be long past
  ENSURE(uv_timer_start(&handle_->raw, act<uv_timer_t>, ms(std::max(delay, Duration::zero())),
                        ms(repeat)) == 0);
}

void Timer::stop() { uv_timer_stop(&handle_->raw); }

Prepare::Prepare(Loop& loop, std::function<void()> action)
    : handle_(make<uv_prepare_t>([&](uv_prepare_t* p) { return uv_prepare_init(loop.raw(), p); })) {
  handle_->action = std::move(action);
  ENSURE(uv_prepare_start(&handle_->raw, act<uv_prepare_t>) == 0);
}
Prepare::~Prepare() = default;

Async::Async(Loop& loop, std::function<void()> action)
    : handle_(make<uv_async_t>(
          [&](uv_async_t* a) { return uv_async_init(loop.raw(), a, act<uv_async_t>); })) {
  handle_->action = std::move(action);
}
Async::~Async() = default;
void Async::send() const { uv_async_send(&handle_->raw); }

Poll::Poll(Loop& loop, int descriptor)
    : handle_(
          make<uv_poll_t>([&](uv_poll_t* p) { return uv_poll_init(loop.raw(), p, descriptor); })) {}
Poll::~Poll() = default;

void Poll::start(int events, std::function<void(int)> action) {
  handle_->status = std::move(action);
  auto ready = [](uv_poll_t* poll, int status, int seen) noexcept {
    auto* state = state_of(poll);
    if (state->alive) state->status(status < 0 ? 0 : seen);
  };
  ENSURE(uv_poll_start(&handle_->raw, events, ready) == 0);
}

void Poll::stop() { uv_poll_stop(&handle_->raw); }

Signal::Signal(Loop& loop, int number, std::function<void()> action)
    : handle_(make<uv_signal_t>([&](uv_signal_t* s) { return uv_signal_init(loop.raw(), s); })) {
  handle_->action = std::move(action);
  auto came = [](uv_signal_t* signal, int) noexcept { act(signal); };
  ENSURE(uv_signal_start(&handle_->raw, came, number) == 0);
}
Signal::~Signal() = default;

std::string Endpoint::host() const {
  char text[INET6_ADDRSTRLEN] = {};
  uv_ip_name(raw(), text, sizeof text);
  return text;
}

std::uint16_t Endpoint::port() const {
  bool v6 = storage.ss_family == AF_INET6;
  return ntohs(v6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                  : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

std::string Endpoint::text() const {
  bool v6 = storage.ss_family == AF_INET6;
  return v6 ? fmt::format("[{}]:{}", host(), port()) : fmt::format("{}:{}", host(), port());
}

std::optional<Endpoint> Endpoint::numeric(const std::string& host, std::uint16_t port) {
  Endpoint out;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&out.storage);
  if (uv_ip4_addr(host.c_str(), port, v4) == 0) return out;
  if (uv_ip6_addr(host.c_str(), port, v6) == 0) return out;
  return std::nullopt;
}

namespace {

/// A socket for both families shows an IPv4 address as ::ffff:a.b.c.d. We know it by its own form
/// only: as one and the same peer, and with a limit of its own.
Endpoint unmapped(const Endpoint& shown) {
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&shown.storage);
  if (shown.storage.ss_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) return shown;
  Endpoint out;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out.storage);
  v4->sin_family = AF_INET;
  v4->sin_port = v6->sin6_port;
  std::memcpy(&v4->sin_addr, v6->sin6_addr.s6_addr + 12, sizeof v4->sin_addr);
  return out;
}

}  // namespace

Tcp::Tcp(Loop& loop)
    : loop_(&loop),
      handle_(make<uv_tcp_t>([&](uv_tcp_t* t) { return uv_tcp_init(loop.raw(), t); })) {}
Tcp::~Tcp() = default;
Tcp::Tcp(Tcp&&) noexcept = default;
Tcp& Tcp::operator=(Tcp&&) noexcept = default;

Result<void> Tcp::listen(const Endpoint& at, int backlog, Status incoming) {
  handle_->incoming = std::move(incoming);
  int status = uv_tcp_bind(&handle_->raw, at.raw(), 0);  // [::] hears IPv4 as well
  auto came = [](uv_stream_t* stream, int result) noexcept {
    auto* state = static_cast<detail::State<uv_tcp_t>*>(stream->data);
    if (state->alive) state->incoming(result);
  };
  auto* stream = reinterpret_cast<uv_stream_t*>(&handle_->raw);
  if (status == 0) status = uv_listen(stream, backlog, came);
  if (status != 0) return error_of(status, "cannot listen on " + at.text());
  return {};
}

Result<Tcp> Tcp::accept() {
  Tcp stream(*loop_);
  int status = uv_accept(reinterpret_cast<uv_stream_t*>(&handle_->raw),
                         reinterpret_cast<uv_stream_t*>(&stream.handle_->raw));
  if (status != 0) return error_of(status, "cannot accept a connection");
  uv_tcp_nodelay(&stream.handle_->raw, 1);
  uv_tcp_keepalive(&stream.handle_->raw, 1, 60);
  return stream;
}

void Tcp::connect(const Endpoint& to, Status done) {
  handle_->connected = std::move(done);
  uv_tcp_nodelay(&handle_->raw, 1);
  uv_tcp_keepalive(&handle_->raw, 1, 60);
  auto request = std::make_unique<uv_connect_t>();
  auto finished = [](uv_connect_t* raw, int status) noexcept {
    std::unique_ptr<uv_connect_t> owned(raw);
    auto* state = static_cast<detail::State<uv_tcp_t>*>(raw->handle->data);
    if (state->alive) state->connected(status);
  };
  int status = uv_tcp_connect(request.get(), &handle_->raw, to.raw(), finished);
  if (status == 0) {
    (void)request.release();
  } else {
    handle_->connected(status);
  }
}

void Tcp::read_start(Received received) {
  if (received) handle_->received = std::move(received);
  auto came = [](uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) noexcept {
    auto* state = static_cast<detail::State<uv_tcp_t>*>(stream->data);
    if (!state->alive || count == 0 || count == UV_ENOBUFS) return;
    state->sated = count == static_cast<ssize_t>(read_size);
    ByteView bytes(reinterpret_cast<const std::uint8_t*>(buffer->base),
                   count > 0 ? static_cast<std::size_t>(count) : 0);
    state->received(count < 0 ? static_cast<int>(count) : 0, bytes);
  };
  uv_read_start(reinterpret_cast<uv_stream_t*>(&handle_->raw), lend_buffer, came);
}

void Tcp::read_stop() { uv_read_stop(reinterpret_cast<uv_stream_t*>(&handle_->raw)); }

Result<bool> Tcp::write(ByteView bytes, Status done) {
  auto* stream = reinterpret_cast<uv_stream_t*>(&handle_->raw);
  auto buffer_of = [](ByteView b) {  // libuv does not write to it, though its type allows that
    auto* data = reinterpret_cast<char*>(const_cast<std::uint8_t*>(b.data()));
    return uv_buf_init(data, static_cast<unsigned>(b.size()));
  };
  uv_buf_t all = buffer_of(bytes);
  int taken = uv_try_write(stream, &all, 1);
  if (taken == UV_EAGAIN) taken = 0;
  if (taken < 0) return error_of(taken, "cannot write");
  if (static_cast<std::size_t>(taken) == bytes.size()) return true;
  auto request = std::make_unique<WriteRequest>();
  request->rest.assign(bytes.begin() + taken, bytes.end());
  handle_->written = std::move(done);
  auto finished = [](uv_write_t* raw, int status) noexcept {
    auto* state = static_cast<detail::State<uv_tcp_t>*>(raw->handle->data);
    std::unique_ptr<WriteRequest> owned(reinterpret_cast<WriteRequest*>(raw));
    if (state->alive) state->written(status);
  };
  uv_buf_t rest = buffer_of(request->rest);
  int status = uv_write(&request->raw, stream, &rest, 1, finished);
  if (status != 0) return error_of(status, "cannot write");
  (void)request.release();
  return false;
}

Endpoint Tcp::local() const {
  Endpoint out;
  int size = sizeof out.storage;
  uv_tcp_getsockname(&handle_->raw, reinterpret_cast<sockaddr*>(&out.storage), &size);
  return out;
}

Endpoint Tcp::remote() const {
  Endpoint out;
  int size = sizeof out.storage;
  uv_tcp_getpeername(&handle_->raw, reinterpret_cast<sockaddr*>(&out.storage), &size);
  return unmapped(out);
}

struct Resolver::Request {
  uv_getaddrinfo_t raw{};
  Resolver* owner = nullptr;  // null once it is gone
  std::string host{};
  Done done{};
};

namespace {

constexpr addrinfo stream_hints() {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  return hints;
}

Result<std::vector<Endpoint>> endpoints(const std::string& host, int status, addrinfo* list) {
  struct Free {
    void operator()(addrinfo* a) const noexcept { uv_freeaddrinfo(a); }
  };
  std::unique_ptr<addrinfo, Free> owned(list);
  if (status != 0) return error_of(status, fmt::format("cannot find host \"{}\"", host));
  std::vector<Endpoint> out;
  for (const addrinfo* a = list; a != nullptr && out.size() < 4; a = a->ai_next) {
    Endpoint endpoint;
    std::memcpy(&endpoint.storage, a->ai_addr, a->ai_addrlen);
    out.push_back(endpoint);
  }
  return out;
}

}  // namespace

Resolver::~Resolver() {
  if (request_ == nullptr) return;
  request_->owner = nullptr;
  uv_cancel(reinterpret_cast<uv_req_t*>(&request_->raw));
}

Result<void> Resolver::start(Loop& loop, const std::string& host, std::uint16_t port, Done done) {
  ENSURE(request_ == nullptr);
  auto request = std::make_unique<Request>();
  request->owner = this;
  request->host = host;
  request->done = std::move(done);
  addrinfo hints = stream_hints();
  auto finished = [](uv_getaddrinfo_t* raw, int status, addrinfo* list) noexcept {
    std::unique_ptr<Request> owned(reinterpret_cast<Request*>(raw));
    auto found = endpoints(owned->host, status, list);
    if (owned->owner == nullptr) return;
    owned->owner->request_ = nullptr;
    owned->done(std::move(found));
  };
  int status = uv_getaddrinfo(loop.raw(), &request->raw, finished, host.c_str(),
                              std::to_string(port).c_str(), &hints);
  if (status != 0) return error_of(status, fmt::format("cannot find host \"{}\"", host));
  request_ = request.release();
  return {};
}

Result<std::vector<Endpoint>> resolve_now(const std::string& host, std::uint16_t port) {
  if (auto numeric = Endpoint::numeric(host, port)) return std::vector{*numeric};
  Loop loop;
  uv_getaddrinfo_t request{};
  addrinfo hints = stream_hints();
  int status = uv_getaddrinfo(loop.raw(), &request, nullptr, host.c_str(),
                              std::to_string(port).c_str(), &hints);
  return endpoints(host, status, status == 0 ? request.addrinfo : nullptr);
}

}  // namespace beckon::io::uv
