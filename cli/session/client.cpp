// SPDX-License-Identifier: MIT
#include "cli/session/client.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <string_view>

namespace beckon::cli {

namespace {

constexpr std::size_t max_reply = 64 * 1024 * 1024;

struct FreeCurl {
  void operator()(CURL* curl) const noexcept { curl_easy_cleanup(curl); }
};
struct FreeList {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
using CurlPtr = std::unique_ptr<CURL, FreeCurl>;
using ListPtr = std::unique_ptr<curl_slist, FreeList>;

std::string escaped(CURL* curl, const std::string& text) {
  char* raw = curl_easy_escape(curl, text.c_str(), static_cast<int>(text.size()));
  std::string out = raw == nullptr ? "" : raw;
  curl_free(raw);
  return out;
}

std::string url_of(CURL* curl, const Call& call) {
  std::string url = "http://beckond" + call.path;
  char separator = '?';
  for (const auto& [name, value] : call.query) {
    url += separator + escaped(curl, name) + "=" + escaped(curl, value);
    separator = '&';
  }
  return url;
}

bool nobody_there(CURLcode code) { return code == CURLE_COULDNT_CONNECT; }
bool broke_off(CURLcode code) { return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR; }

}  // namespace

/// What curl hands over, on its way to the caller.
struct Client::Transfer {
  Reply reply{};
  CURL* curl{};
  EventSplitter splitter{};
  const std::function<bool(const ServerEvent&)>* on_event{};
  bool too_large = false;

  static std::size_t receive(char* data, std::size_t, std::size_t size, void* self) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    std::string_view bytes(data, size);
    return transfer.take(bytes) ? size : 0;
  }

  bool take(std::string_view bytes) {
    const char* type = nullptr;
    curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    bool streaming = on_event != nullptr && type != nullptr &&
                     std::string_view(type).starts_with("text/event-stream");
    if (streaming) return splitter.feed(bytes, *on_event) && !splitter.stopped();
    too_large = reply.body.size() + bytes.size() > max_reply;
    if (!too_large) reply.body += bytes;
    return !too_large;
  }
};

Client::Client(std::string socket_path) : socket_path_(std::move(socket_path)) {}
Client::~Client() = default;

Result<Reply> Client::send(const Call& call) {
  Transfer transfer;
  return perform(call, transfer);
}

Result<Reply> Client::stream(const Call& call,
                             const std::function<bool(const ServerEvent&)>& on_event) {
  Transfer transfer;
  transfer.on_event = &on_event;
  return perform(call, transfer);
}

Result<Reply> Client::perform(const Call& call, Transfer& transfer) {
  CurlPtr curl(curl_easy_init());
  if (!curl) return Error{ErrorCode::internal, "libcurl cannot start"};
  transfer.curl = curl.get();
  std::string url = url_of(curl.get(), call);
  ListPtr headers(curl_slist_append(nullptr, transfer.on_event == nullptr
                                                 ? "Accept: application/json"
                                                 : "Accept: text/event-stream"));
  if (!call.body.empty()) {
    headers.reset(curl_slist_append(headers.release(), "Content-Type: application/json"));
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(call.body.size()));
    curl_easy_setopt(curl.get(), CURLOPT_COPYPOSTFIELDS, call.body.c_str());
  } else if (call.method == "POST" || call.method == "PUT") {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, 0L);
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, "");
  }
  auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(call.timeout);
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_UNIX_SOCKET_PATH, socket_path_.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");  // never by way of a proxy of the environment
  curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, call.method.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(milliseconds.count()));
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &Transfer::receive);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);
  CURLcode code = curl_easy_perform(curl.get());

  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  transfer.reply.status = static_cast<int>(status);
  if (code == CURLE_OK || transfer.splitter.stopped()) return transfer.reply;
  bool streaming = transfer.on_event != nullptr && status == 200;
  if (streaming && broke_off(code)) return transfer.reply;  // the same as a stream that ends
  if (nobody_there(code)) return Error{ErrorCode::unavailable, "nobody listens at " + socket_path_};
  if (code == CURLE_OPERATION_TIMEDOUT)
    return Error{ErrorCode::internal, "beckond did not answer in time"};
  if (transfer.too_large) return Error{ErrorCode::internal, "beckond's answer is too large"};
  return Error{ErrorCode::internal,
               fmt::format("talking to beckond failed: {}", curl_easy_strerror(code))};
}

bool EventSplitter::feed(std::string_view bytes,
                         const std::function<bool(const ServerEvent&)>& on_event) {
  rest_ += bytes;
  std::size_t begin = 0;
  for (std::size_t end; !stopped_ && (end = rest_.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    take_line(std::string_view(rest_).substr(begin, end - begin), on_event);
  }
  rest_.erase(0, begin);
  return rest_.size() + event_.data.size() <= max_event;
}

void EventSplitter::take_line(std::string_view line,
                              const std::function<bool(const ServerEvent&)>& on_event) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.empty()) {
    if (!event_.data.empty() || !event_.name.empty()) stopped_ = !on_event(event_);
    event_ = {};
    return;
  }
  auto colon = line.find(':');
  std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "id") event_.id = value;
  if (field == "event") event_.name = value;
  if (field == "data") event_.data += (event_.data.empty() ? "" : "\n") + std::string(value);
}

}  // namespace beckon::cli
