// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace beckon::service {

/// Names one HTTP request and its answer between the server, which does the I/O, and the handlers,
/// which do none.
using ExchangeId = std::uint64_t;

struct HttpRequest {
  std::string method{};
  std::string path{};                                        // without the query, decoded
  std::vector<std::pair<std::string, std::string>> query{};  // decoded, in order, repeats kept
  std::string body{};
  bool wants_stream = false;  // Accept: text/event-stream
  std::string last_event_id{};
};

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::string allow{};  // the Allow header of a 405
};
struct StreamBegin {};  // 200, text/event-stream
struct StreamData {
  std::string text{};
};
struct StreamEnd {};

/// A piece of an answer, in the order in which the server must send them: one HttpReply, or one
/// StreamBegin, any number of StreamData and at most one StreamEnd.
struct HttpPart {
  ExchangeId exchange{};
  std::variant<HttpReply, StreamBegin, StreamData, StreamEnd> part{};
};

inline constexpr std::size_t max_http_body = 1024 * 1024;
inline constexpr std::size_t max_http_query_fields = 64;

}  // namespace beckon::service
