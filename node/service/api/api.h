// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "node/service/api/event_log.h"
#include "node/service/api/http_message.h"

namespace beckon::service {

class Api;

/// The asker's side of one exchange, handed to its handler: a small value to keep until the answer
/// is known. Answer once, or begin a stream, add events and end it. After the asker has gone, or
/// after the answer, every call does nothing.
class Answer {
 public:
  Answer(Api& api, ExchangeId exchange) : api_(&api), exchange_(exchange) {}

  void json(const Json& body, int status = 200) const;
  void text(std::string type, std::string body) const;
  void problem(const Error& error, const std::string& hint = {}) const;
  void problem(int status, const std::string& title, const std::string& detail,
               const std::string& hint = {}, const std::string& picture = {}) const;

  void begin_stream() const;
  void event(const Event& event) const;
  void raw(std::string text) const;  // finished SSE lines
  void end_stream() const;

  /// Called once if the asker goes before the answer is complete: work for it can stop.
  void when_gone(std::function<void()> stop) const;
  bool open() const;  // false once the asker has gone or the answer is complete
  ExchangeId exchange() const { return exchange_; }

 private:
  Api* api_;
  ExchangeId exchange_;
};

/// What handlers see of a request: its fields, path parameters, and typed reading of the query.
struct ApiRequest {
  const HttpRequest& http;
  std::map<std::string, std::string> path{};  // {id} of the route's pattern

  std::optional<std::string> query(std::string_view name) const;  // the first of that name
  Result<Duration> duration(std::string_view name, Duration standard) const;
  Result<Json> body() const;
};

/// The HTTP API as pure functions: a table of routes, each with a handler that answers now or
/// later, and the stream of events. Whoever adds a part of the service adds its routes here; the
/// server in node/io only carries bytes.
class Api {
 public:
  struct Options {
    std::size_t max_exchanges = 256;  // open at once; further ones get 503
    std::size_t kept_events = 1024;   // for listeners that come back
    std::uint64_t first_event = 1;    // grows from life to life of a node
  };
  using Handler = std::function<void(const ApiRequest&, Answer)>;

  Api();
  explicit Api(Options options);
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// `pattern` is a path whose segments may be {names}; the handler runs inside handle().
  void route(const std::string& method, const std::string& pattern, Handler handler);

  void handle(ExchangeId exchange, const HttpRequest& request);
  void closed(ExchangeId exchange);  // the asker has gone
  void publish(Event event);         // to everybody who listens on /v1/events
  std::vector<HttpPart> take();      // what to send, in order

  std::uint64_t last_event() const { return log_.last_id(); }  // a listener may go on behind it
  std::size_t open_exchanges() const { return open_.size(); }
  std::uint64_t requests() const { return requests_; }

 private:
  friend class Answer;
  struct Route {
    std::string method{};
    std::vector<std::string> segments{};
    Handler handler{};
  };
  enum class Stage { waiting, streaming };

  bool forget(ExchangeId exchange);

  void events(const ApiRequest& request, const Answer& answer);
  void refuse_unrouted(const HttpRequest& request, const Answer& answer,
                       const std::set<std::string>& methods);
  void push(ExchangeId exchange, HttpReply reply);

  Options options_;
  std::vector<Route> routes_{};
  std::map<ExchangeId, Stage> open_{};
  std::set<ExchangeId> listeners_{};
  std::map<ExchangeId, std::function<void()>> when_gone_{};  // of open ones
  EventLog log_;
  std::vector<HttpPart> parts_{};
  std::uint64_t requests_ = 0;
};

}  // namespace beckon::service
