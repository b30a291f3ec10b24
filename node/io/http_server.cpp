// SPDX-License-Identifier: MIT
#include "node/io/http_server.h"

#include <fmt/core.h>
#include <microhttpd.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "node/io/unix_socket.h"

namespace beckon::io {

using service::ExchangeId;
using service::HttpPart;
using service::HttpReply;
using service::HttpRequest;

namespace {

struct StopDaemon {
  void operator()(MHD_Daemon* daemon) const noexcept { MHD_stop_daemon(daemon); }
};
struct FreeResponse {
  void operator()(MHD_Response* response) const noexcept { MHD_destroy_response(response); }
};
using ResponsePtr = std::unique_ptr<MHD_Response, FreeResponse>;

enum class Stage { reading, working, replying, streaming };

/// One request and its answer. `suspended` mirrors what libmicrohttpd was told.
struct Exchange {
  ExchangeId id{};
  MHD_Connection* connection{};
  int socket = -1;
  HttpRequest request{};
  bool too_large = false;
  bool malformed = false;  // its address cannot be decoded
  Stage stage = Stage::reading;
  bool suspended = false;
  std::optional<HttpReply> reply{};
  bool queued = false;    // the response is with libmicrohttpd
  std::string backlog{};  // of a stream
  bool ended = false;
  HttpServer::Impl* server{};
};

ResponsePtr plain_response(const HttpReply& reply) {
  ResponsePtr response(MHD_create_response_from_buffer(
      reply.body.size(), const_cast<char*>(reply.body.data()), MHD_RESPMEM_MUST_COPY));
  ENSURE(response != nullptr);
  MHD_add_response_header(response.get(), "Content-Type", reply.type.c_str());
  if (!reply.allow.empty()) MHD_add_response_header(response.get(), "Allow", reply.allow.c_str());
  return response;
}

HttpReply problem(int status, std::string_view title, std::string_view detail) {
  return {.status = status,
          .type = "application/problem+json",
          .body = fmt::format("{{\"type\":\"about:blank\",\"title\":\"{}\",\"status\":{},"
                              "\"detail\":\"{}\",\"hint\":\"\"}}\n",
                              title, status, detail)};
}

HttpReply too_large_reply() { return problem(413, "Too large", "a body is at most 1048576 bytes"); }

HttpReply gone_reply() { return problem(503, "Not possible now", "the node is shutting down"); }

std::string header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

/// Percent escapes are ours to decode: libmicrohttpd would cut a path at "%00".
std::size_t leave_escaped(void*, MHD_Connection*, char* text) noexcept { return std::strlen(text); }

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    unsigned value = 0;
    auto [end, bad] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (bad != std::errc{} || end != text.data() + i + 3 || value == 0) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

MHD_Result add_query(void* state, MHD_ValueKind, const char* key, std::size_t key_size,
                     const char* value, std::size_t value_size) noexcept {
  auto& exchange = *static_cast<Exchange*>(state);
  auto& query = exchange.request.query;
  if (query.size() > service::max_http_query_fields) return MHD_NO;
  auto name = unescape({key, key_size});
  auto text = unescape({value == nullptr ? "" : value, value == nullptr ? 0 : value_size});
  exchange.malformed = exchange.malformed || !name || !text;
  query.emplace_back(name.value_or(""), text.value_or(""));
  return MHD_YES;
}

/// What the head promises, so that nobody waits for a body that will be refused.
bool promises_too_much(MHD_Connection* connection) {
  std::string text = header(connection, "Content-Length");
  std::uint64_t size = 0;
  auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), size);
  return !text.empty() && (bad != std::errc{} || size > service::max_http_body);
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(uv::Loop& loop, std::string path, HttpListener& listener, Options options)
      : loop_(loop),
        path_(std::move(path)),
        listener_(listener),
        options_(options),
        accept_again_(loop),
        again_(loop),
        sweep_(loop) {}
  ~Impl();

  Result<void> start();
  void send(HttpPart part);
  std::size_t size() const { return exchanges_.size(); }

 private:
  static MHD_Result on_access(void* self, MHD_Connection*, const char* url, const char* method,
                              const char* version, const char* data, std::size_t* size,
                              void** state) noexcept;
  static void on_completed(void* self, MHD_Connection*, void** state,
                           MHD_RequestTerminationCode) noexcept;
  static ssize_t on_read(void* exchange, std::uint64_t, char* buffer, std::size_t size) noexcept;
  static void on_connection(void* self, MHD_Connection*, void** state,
                            MHD_ConnectionNotificationCode) noexcept;
  static void ignore_log(void*, const char*, va_list) noexcept {}

  Exchange* begin(MHD_Connection* connection, const char* url, const char* method);
  MHD_Result proceed(Exchange& exchange, const char* data, std::size_t* size);
  MHD_Result queue(Exchange& exchange);
  MHD_Result refuse(Exchange& exchange, HttpReply reply);
  void accept_waiting();
  void accept_later();
  bool make_room();
  void pump();
  void sweep();
  void give_up(Exchange& exchange);
  void apply(Exchange& exchange, HttpPart& part);
  void suspend(Exchange& exchange);
  void resume(Exchange& exchange);
  void run_soon();

  uv::Loop& loop_;
  std::string path_;
  HttpListener& listener_;
  Options options_;
  std::map<ExchangeId, std::unique_ptr<Exchange>> exchanges_{};
  std::vector<ExchangeId> ready_{};  // complete requests, told after libmicrohttpd has returned
  std::vector<ExchangeId> gone_{};
  ExchangeId last_id_ = 0;
  Descriptor listening_{-1};
  std::map<int, Time> idle_{};  // connections without a complete request, and since when
  std::size_t connections_ = 0;
  bool run_soon_ = false;
  std::unique_ptr<MHD_Daemon, StopDaemon> daemon_{};
  std::unique_ptr<uv::Poll> poll_{};
  std::unique_ptr<uv::Poll> incoming_{};
  uv::Timer accept_again_;
  uv::Timer again_;
  uv::Timer sweep_;
};

HttpServer::Impl::~Impl() {
  incoming_.reset();
  poll_.reset();
  for (auto& [id, exchange] : exchanges_) {  // a suspended connection may not be stopped
    exchange->ended = true;
    if (!exchange->reply) exchange->reply = gone_reply();
    resume(*exchange);
  }
  if (daemon_) MHD_run(daemon_.get());
  daemon_.reset();
  ::unlink(path_.c_str());
}

Result<void> HttpServer::Impl::start() {
  auto socket = listen_unix(path_);
  if (!socket) return socket.error();
  daemon_.reset(MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
      nullptr, nullptr, on_access, this, MHD_OPTION_CONNECTION_LIMIT, options_.max_connections + 1,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, static_cast<std::size_t>(options_.header_bytes),
      MHD_OPTION_CONNECTION_TIMEOUT, options_.idle_seconds, MHD_OPTION_NOTIFY_COMPLETED,
      on_completed, this, MHD_OPTION_NOTIFY_CONNECTION, on_connection, this,
      MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, nullptr, MHD_OPTION_EXTERNAL_LOGGER, ignore_log,
      nullptr, MHD_OPTION_END));
  if (!daemon_) return Error{ErrorCode::internal, "cannot start the HTTP server at " + path_};
  listening_ = std::move(*socket);
  const MHD_DaemonInfo* info = MHD_get_daemon_info(daemon_.get(), MHD_DAEMON_INFO_EPOLL_FD);
  if (info == nullptr) return Error{ErrorCode::internal, "libmicrohttpd was built without epoll"};
  poll_ = std::make_unique<uv::Poll>(loop_, info->epoll_fd);
  poll_->start(UV_READABLE, [this](int) { pump(); });
  incoming_ = std::make_unique<uv::Poll>(loop_, listening_.get());
  incoming_->start(UV_READABLE, [this](int) { accept_waiting(); });
  sweep_.start(
      options_.sweep, [this] { sweep(); }, options_.sweep);
  return {};
}

/// libmicrohttpd's own accepting goes deaf when connections at its limit end in the run that met
/// the limit. Here a full house makes room for whoever comes: connections that have asked nothing
/// for `grace` go first, the oldest first, then the oldest stream, whose reader can come back.
void HttpServer::Impl::accept_waiting() {
  constexpr int in_one_turn = 64;
  for (int i = 0; i < in_one_turn; ++i) {
    if (connections_ >= options_.max_connections && !make_room()) return accept_later();
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    int fd = ::accept4(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size,
                       SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      bool none = errno == EAGAIN || errno == EWOULDBLOCK;
      if (!none && errno != EINTR && errno != ECONNABORTED) accept_later();  // no descriptor left
      return;
    }
    MHD_add_connection(daemon_.get(), fd, reinterpret_cast<sockaddr*>(&address), size);
    pump();
  }
}

void HttpServer::Impl::accept_later() {
  incoming_->stop();
  accept_again_.start(options_.grace / 4,
                      [this] { incoming_->start(UV_READABLE, [this](int) { accept_waiting(); }); });
}

bool HttpServer::Impl::make_room() {
  auto oldest = std::min_element(idle_.begin(), idle_.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
  if (oldest != idle_.end()) {
    if (loop_.now() - oldest->second < options_.grace) return false;
    ::shutdown(oldest->first, SHUT_RDWR);
  } else {
    auto stream = std::find_if(exchanges_.begin(), exchanges_.end(), [](const auto& entry) {
      return entry.second->stage == Stage::streaming && !entry.second->ended;
    });
    if (stream == exchanges_.end()) return false;
    ::shutdown(stream->second->socket, SHUT_RDWR);
    give_up(*stream->second);
  }
  pump();
  return connections_ < options_.max_connections;
}

void HttpServer::Impl::on_connection(void* self, MHD_Connection* connection, void**,
                                     MHD_ConnectionNotificationCode code) noexcept {
  auto& server = *static_cast<Impl*>(self);
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    ++server.connections_;
    server.idle_[info->connect_fd] = server.loop_.now();
  } else {
    --server.connections_;
    server.idle_.erase(info->connect_fd);
  }
}

/// Lets libmicrohttpd work, then tells the listener, whose answers may give it more to do.
void HttpServer::Impl::pump() {
  run_soon_ = false;
  MHD_run(daemon_.get());
  for (ExchangeId id : std::exchange(gone_, {})) listener_.http_closed(id);
  for (ExchangeId id : std::exchange(ready_, {})) {
    auto found = exchanges_.find(id);
    if (found != exchanges_.end()) listener_.http_request(id, HttpRequest(found->second->request));
  }
  if (run_soon_) return;
  MHD_UNSIGNED_LONG_LONG wait = 0;
  if (MHD_get_timeout(daemon_.get(), &wait) != MHD_YES) return again_.stop();
  again_.start(std::chrono::milliseconds(std::min<std::uint64_t>(wait, 60'000)),
               [this] { pump(); });
}

Exchange* HttpServer::Impl::begin(MHD_Connection* connection, const char* url, const char* method) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info == nullptr || !same_user(info->connect_fd)) return nullptr;
  auto exchange = std::make_unique<Exchange>();
  exchange->id = ++last_id_;
  exchange->connection = connection;
  exchange->socket = info->connect_fd;
  exchange->server = this;
  HttpRequest& request = exchange->request;
  request.method = method;
  auto path = unescape(url);
  exchange->malformed = !path;
  request.path = path.value_or("");
  request.wants_stream =
      header(connection, "Accept").find("text/event-stream") != std::string::npos;
  request.last_event_id = header(connection, "Last-Event-ID");
  MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, add_query, exchange.get());
  return (exchanges_[exchange->id] = std::move(exchange)).get();
}

MHD_Result HttpServer::Impl::on_access(void* self, MHD_Connection* connection, const char* url,
                                       const char* method, const char*, const char* data,
                                       std::size_t* size, void** state) noexcept {
  auto& server = *static_cast<Impl*>(self);
  if (*state != nullptr) return server.proceed(*static_cast<Exchange*>(*state), data, size);
  Exchange* exchange = server.begin(connection, url, method);
  *state = exchange;
  if (exchange == nullptr) return MHD_NO;  // not our user: the connection is closed
  if (promises_too_much(connection)) return server.refuse(*exchange, too_large_reply());
  return MHD_YES;
}

MHD_Result HttpServer::Impl::refuse(Exchange& exchange, HttpReply reply) {
  idle_.erase(exchange.socket);
  exchange.reply = std::move(reply);
  exchange.stage = Stage::replying;
  return queue(exchange);
}

MHD_Result HttpServer::Impl::proceed(Exchange& exchange, const char* data, std::size_t* size) {
  if (*size > 0) {
    exchange.too_large =
        exchange.too_large || exchange.request.body.size() + *size > service::max_http_body;
    if (!exchange.too_large) exchange.request.body.append(data, *size);
    *size = 0;
    return MHD_YES;
  }
  if (exchange.stage != Stage::reading) return queue(exchange);
  if (exchange.too_large) return refuse(exchange, too_large_reply());
  if (exchange.malformed) {
    return refuse(exchange, problem(400, "Bad request",
                                    "a % in the address is followed by no two hexadecimal digits, "
                                    "or by 00"));
  }
  idle_.erase(exchange.socket);
  exchange.stage = Stage::working;
  suspend(exchange);
  ready_.push_back(exchange.id);
  return MHD_YES;
}

MHD_Result HttpServer::Impl::queue(Exchange& exchange) {
  if (exchange.queued || exchange.stage == Stage::working) return MHD_YES;
  exchange.queued = true;
  if (exchange.stage == Stage::replying) {
    auto response = plain_response(*exchange.reply);
    return MHD_queue_response(exchange.connection, static_cast<unsigned>(exchange.reply->status),
                              response.get());
  }
  ResponsePtr response(
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 * 1024, on_read, &exchange, nullptr));
  ENSURE(response != nullptr);
  MHD_add_response_header(response.get(), "Content-Type", "text/event-stream");
  MHD_add_response_header(response.get(), "Cache-Control", "no-store");
  return MHD_queue_response(exchange.connection, MHD_HTTP_OK, response.get());
}

ssize_t HttpServer::Impl::on_read(void* state, std::uint64_t, char* buffer,
                                  std::size_t size) noexcept {
  auto& exchange = *static_cast<Exchange*>(state);
  if (exchange.backlog.empty() && exchange.ended) return MHD_CONTENT_READER_END_OF_STREAM;
  if (exchange.backlog.empty()) {
    exchange.server->suspend(exchange);
    return 0;
  }
  std::size_t count = std::min(size, exchange.backlog.size());
  std::memcpy(buffer, exchange.backlog.data(), count);
  exchange.backlog.erase(0, count);
  return static_cast<ssize_t>(count);
}

void HttpServer::Impl::on_completed(void* self, MHD_Connection*, void** state,
                                    MHD_RequestTerminationCode) noexcept {
  auto& server = *static_cast<Impl*>(self);
  auto* exchange = static_cast<Exchange*>(*state);
  if (exchange == nullptr) return;
  *state = nullptr;
  if (exchange->stage == Stage::working || exchange->stage == Stage::streaming) {
    server.gone_.push_back(exchange->id);
  }
  server.idle_[exchange->socket] = server.loop_.now();  // until it asks again or closes
  server.exchanges_.erase(exchange->id);
}

void HttpServer::Impl::send(HttpPart part) {
  auto found = exchanges_.find(part.exchange);
  if (found == exchanges_.end() || found->second->ended) return;
  Exchange& exchange = *found->second;
  apply(exchange, part);
  if (exchange.backlog.size() > options_.backlog) {
    exchange.backlog.clear();
    exchange.ended = true;
  }
  resume(exchange);
}

void HttpServer::Impl::apply(Exchange& exchange, HttpPart& part) {
  if (auto* reply = std::get_if<HttpReply>(&part.part)) {
    exchange.reply = std::move(*reply);
    exchange.stage = Stage::replying;
  } else if (auto* data = std::get_if<service::StreamData>(&part.part)) {
    exchange.backlog += data->text;
  } else if (std::holds_alternative<service::StreamBegin>(part.part)) {
    exchange.stage = Stage::streaming;
  } else {
    exchange.ended = true;
  }
}

/// libmicrohttpd does not watch a suspended connection, so we look ourselves whether its reader is
/// still there.
void HttpServer::Impl::sweep() {
  for (auto& [id, exchange] : exchanges_) {
    if (exchange->suspended && peer_closed(exchange->socket)) give_up(*exchange);
  }
}

void HttpServer::Impl::give_up(Exchange& exchange) {
  exchange.ended = true;
  exchange.backlog.clear();
  if (exchange.stage == Stage::working) {
    gone_.push_back(exchange.id);
    exchange.reply = gone_reply();
    exchange.stage = Stage::replying;
  }
  resume(exchange);
}

void HttpServer::Impl::suspend(Exchange& exchange) {
  if (exchange.suspended) return;
  exchange.suspended = true;
  MHD_suspend_connection(exchange.connection);
}

void HttpServer::Impl::resume(Exchange& exchange) {
  if (!exchange.suspended) return;
  exchange.suspended = false;
  MHD_resume_connection(exchange.connection);
  run_soon();
}

/// Without a thread of its own libmicrohttpd notices a resumed connection only when it runs.
void HttpServer::Impl::run_soon() {
  run_soon_ = true;
  again_.start(Duration::zero(), [this] { pump(); });
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::open(uv::Loop& loop, const std::string& socket_path,
                                                     HttpListener& listener, Options options) {
  auto impl = std::make_unique<Impl>(loop, socket_path, listener, options);
  auto started = impl->start();
  if (!started) return started.error();
  return std::make_unique<HttpServer>(std::move(impl));
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(uv::Loop& loop, const std::string& socket_path,
                                                     HttpListener& listener) {
  return open(loop, socket_path, listener, Options{});
}

void HttpServer::send(HttpPart part) { impl_->send(std::move(part)); }
std::size_t HttpServer::exchanges() const { return impl_->size(); }

}  // namespace beckon::io
