// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace beckon::cli {

using Query = std::vector<std::pair<std::string, std::string>>;

struct Call {
  std::string method = "GET";
  std::string path{};
  Query query{};
  std::string body{};  // JSON
  Duration timeout = std::chrono::seconds(30);
};

struct Reply {
  int status{};
  std::string body{};
};

struct ServerEvent {
  std::string id{};
  std::string name{};
  std::string data{};
};

/// HTTP to the daemon over its Unix socket (libcurl). Error unavailable: nobody listens there.
class Client {
 public:
  explicit Client(std::string socket_path);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Result<Reply> send(const Call& call);

  /// Reads a stream of events until it ends or `on_event` returns false. A reply that is no stream
  /// comes back as it is, for its status and problem.
  Result<Reply> stream(const Call& call, const std::function<bool(const ServerEvent&)>& on_event);

  const std::string& socket_path() const { return socket_path_; }

 private:
  struct Transfer;
  Result<Reply> perform(const Call& call, Transfer& transfer);

  std::string socket_path_;
};

/// Cuts a byte stream into events (text/event-stream); keeps what is not complete yet.
class EventSplitter {
 public:
  static constexpr std::size_t max_event = 1024 * 1024;

  /// False when an event is larger than max_event: the stream is not to be trusted further.
  bool feed(std::string_view bytes, const std::function<bool(const ServerEvent&)>& on_event);
  bool stopped() const { return stopped_; }  // on_event said no

 private:
  void take_line(std::string_view line, const std::function<bool(const ServerEvent&)>& on_event);
  std::string rest_{};
  ServerEvent event_{};
  bool stopped_ = false;
};

}  // namespace beckon::cli
