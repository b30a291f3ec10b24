// SPDX-License-Identifier: MIT
#include "node/service/api/api.h"

#include <fmt/core.h>

#include <charconv>

#include "base/duration.h"
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"

namespace beckon::service {

namespace {

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash in front
    auto slash = std::min(path.find('/'), path.size());
    out.emplace_back(path.substr(0, slash));
    path.remove_prefix(slash);
  }
  return out;
}

bool is_parameter(const std::string& segment) {
  return segment.size() > 2 && segment.front() == '{';
}

std::optional<std::map<std::string, std::string>> match(const std::vector<std::string>& pattern,
                                                        const std::vector<std::string>& path) {
  if (pattern.size() != path.size()) return std::nullopt;
  std::map<std::string, std::string> out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (is_parameter(pattern[i])) {
      out[pattern[i].substr(1, pattern[i].size() - 2)] = path[i];
    } else if (pattern[i] != path[i]) {
      return std::nullopt;
    }
  }
  return out;
}

std::uint64_t read_id(const std::string& text, std::uint64_t standard) {
  std::uint64_t id = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
  return problem == std::errc{} && end == text.data() + text.size() ? id : standard;
}

}  // namespace

// ---- Answer

void Answer::json(const Json& body, int status) const {
  api_->push(exchange_, {.status = status, .body = body.dump() + "\n"});
}

void Answer::text(std::string type, std::string body) const {
  api_->push(exchange_, {.type = std::move(type), .body = std::move(body)});
}

void Answer::problem(int status, const std::string& title, const std::string& detail,
                     const std::string& hint, const std::string& picture) const {
  Json body{{"type", "about:blank"},
            {"title", title},
            {"status", status},
            {"detail", detail},
            {"hint", hint}};
  if (!picture.empty()) body["picture"] = picture;
  api_->push(exchange_,
             {.status = status, .type = "application/problem+json", .body = body.dump() + "\n"});
}

void Answer::problem(const Error& error, const std::string& hint) const {
  const ErrorKind& kind = kind_of(error.code);
  problem(kind.http, kind.title, error.text, hint);
}

void Answer::begin_stream() const {
  auto found = api_->open_.find(exchange_);
  if (found == api_->open_.end()) return;
  found->second = Api::Stage::streaming;
  api_->parts_.push_back({exchange_, StreamBegin{}});
}

void Answer::event(const Event& event) const { raw(sse_text(event)); }

void Answer::raw(std::string text) const {
  auto found = api_->open_.find(exchange_);
  if (found == api_->open_.end() || found->second != Api::Stage::streaming) return;
  api_->parts_.push_back({exchange_, StreamData{std::move(text)}});
}

void Answer::end_stream() const {
  if (!api_->forget(exchange_)) return;
  api_->parts_.push_back({exchange_, StreamEnd{}});
}

void Answer::when_gone(std::function<void()> stop) const {
  if (open()) api_->when_gone_[exchange_] = std::move(stop);
}

bool Answer::open() const { return api_->open_.contains(exchange_); }

// ---- ApiRequest

std::optional<std::string> ApiRequest::query(std::string_view name) const {
  for (const auto& [key, value] : http.query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

Result<Duration> ApiRequest::duration(std::string_view name, Duration standard) const {
  auto text = query(name);
  if (!text) return standard;
  auto duration = parse_duration(*text);
  if (!duration) return invalid(fmt::format("{}: {}", name, duration.error().text));
  return duration;
}

Result<Json> ApiRequest::body() const { return parse_json(http.body, {.bytes = max_http_body}); }

// ---- Api

Api::Api() : Api(Options{}) {}

Api::Api(Options options) : options_(options), log_(options.kept_events, options.first_event) {
  route("GET", "/v1/events",
        [this](const ApiRequest& request, Answer answer) { events(request, answer); });
}

void Api::route(const std::string& method, const std::string& pattern, Handler handler) {
  routes_.push_back({method, segments_of(pattern), std::move(handler)});
}

void Api::handle(ExchangeId exchange, const HttpRequest& request) {
  ++requests_;
  bool full = open_.size() >= options_.max_exchanges;
  ENSURE(open_.emplace(exchange, Stage::waiting).second);
  Answer answer(*this, exchange);
  if (full) return answer.problem(503, "Too busy", "too many requests are open at once");
  if (request.query.size() > max_http_query_fields) {
    return answer.problem(400, "Bad request", "more than 64 query parameters");
  }
  auto path = segments_of(request.path);
  std::set<std::string> methods;
  for (const Route& route : routes_) {
    auto parameters = match(route.segments, path);
    if (!parameters) continue;
    methods.insert(route.method);
    if (route.method == request.method) return route.handler({request, *parameters}, answer);
  }
  refuse_unrouted(request, answer, methods);
}

void Api::refuse_unrouted(const HttpRequest& request, const Answer& answer,
                          const std::set<std::string>& methods) {
  std::string path = printable(request.path, 80);
  if (methods.empty()) {
    return answer.problem(404, "Not found", fmt::format("there is no {}", path),
                          "See docs/operations.md for the API");
  }
  std::string allow;
  for (const std::string& method : methods) allow += (allow.empty() ? "" : ", ") + method;
  answer.problem(405, "Method not allowed", fmt::format("{} takes {}", path, allow));
  std::get<HttpReply>(parts_.back().part).allow = allow;
}

void Api::closed(ExchangeId exchange) {
  auto stop = when_gone_.extract(exchange);
  forget(exchange);
  listeners_.erase(exchange);
  if (!stop.empty()) stop.mapped()();
}

bool Api::forget(ExchangeId exchange) {
  when_gone_.erase(exchange);
  return open_.erase(exchange) > 0;
}

void Api::events(const ApiRequest& request, const Answer& answer) {
  answer.begin_stream();
  auto resume = request.http.last_event_id;
  if (resume.empty()) resume = request.query("_since").value_or("");
  auto missed = log_.after(resume.empty() ? log_.last_id() : read_id(resume, 0));
  if (missed.lost > 0) {
    std::uint64_t next = missed.events.empty() ? log_.last_id() + 1 : missed.events.front().id;
    answer.raw(sse_gap(missed.lost, next - 1));
  }
  for (const NumberedEvent& event : missed.events) answer.raw(sse_text(event));
  listeners_.insert(answer.exchange());
}

void Api::publish(Event event) {
  std::string text = sse_text(log_.add(std::move(event)));
  for (ExchangeId listener : listeners_) Answer(*this, listener).raw(text);
}

void Api::push(ExchangeId exchange, HttpReply reply) {
  auto found = open_.find(exchange);
  if (found == open_.end()) return;
  if (found->second == Stage::streaming) {  // a problem met after the stream began
    parts_.push_back({exchange, StreamData{fmt::format("event: error\ndata: {}\n", reply.body)}});
    parts_.push_back({exchange, StreamEnd{}});
  } else {
    parts_.push_back({exchange, std::move(reply)});
  }
  forget(exchange);
}

std::vector<HttpPart> Api::take() { return std::exchange(parts_, {}); }

}  // namespace beckon::service
