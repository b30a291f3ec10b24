// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/log.h"
#include "node/io/uv.h"
#include "node/service/api/http_message.h"

namespace beckon::io {

/// Whom the server tells. Never called from inside a call of HttpServer.
class HttpListener {
 public:
  virtual ~HttpListener() = default;
  virtual void http_request(service::ExchangeId exchange, const service::HttpRequest& request) = 0;
  virtual void http_closed(service::ExchangeId exchange) = 0;  // nobody waits for it any more
};

/// The HTTP API on a Unix socket: mode 0600, and only processes of our own user are served. Carries
/// requests to the listener and its answers back; knows no route. Runs on the loop's thread:
/// libmicrohttpd's epoll descriptor is watched by libuv, and a request that is being worked on is
/// suspended.
///
/// Bodies beyond max_http_body are answered 413 here. A stream whose reader is slower than its
/// events is cut off when `backlog` bytes wait; the reader comes back with Last-Event-ID. A reader
/// that has gone is noticed within `sweep`.
class HttpServer {
 public:
  struct Options {
    unsigned max_connections = 128;
    unsigned header_bytes = 256 * 1024;  // with libmicrohttpd's own entries for each field
    unsigned idle_seconds = 60;
    std::size_t backlog = 1024 * 1024;
    Duration grace = std::chrono::milliseconds(100);  // a full house leaves a silent client so long
    Duration sweep = std::chrono::milliseconds(500);
  };

  /// The folder exists and is private, and no other process serves this path: an old socket there
  /// is replaced.
  static Result<std::unique_ptr<HttpServer>> open(uv::Loop& loop, const std::string& socket_path,
                                                  HttpListener& listener, Options options);
  static Result<std::unique_ptr<HttpServer>> open(uv::Loop& loop, const std::string& socket_path,
                                                  HttpListener& listener);
  ~HttpServer();

  void send(service::HttpPart part);  // for an exchange that has gone: nothing happens
  std::size_t exchanges() const;

  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace beckon::io
