// SPDX-License-Identifier: MIT
// A request at the API: whatever its method, path, query and body are, it gets exactly one answer,
// that answer is JSON where it says so, and JSON that was accepted is written and read again as the
// same.
#include "node/service/api/api.h"

#include "base/json.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;

namespace {

std::string_view take_line(std::string_view& rest) {
  std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

/// Lines: method, path, last event id, name=value for the query, an empty one; the rest is the
/// body.
HttpRequest request_of(std::string_view text) {
  HttpRequest out{.method = std::string(take_line(text)), .path = std::string(take_line(text))};
  out.last_event_id = take_line(text);
  for (auto line = take_line(text); !line.empty(); line = take_line(text)) {
    auto equals = std::min(line.find('='), line.size());
    out.query.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  out.body = text;
  return out;
}

void answer_with_what_came(const ApiRequest& request, const Answer& answer) {
  auto wait = request.duration("wait", std::chrono::seconds(1));
  if (!wait) return answer.problem(wait.error());
  auto body = request.body();
  if (!body) return answer.problem(body.error(), "send JSON");
  auto again = parse_json(body->dump(), {.bytes = 8 * max_http_body});
  ENSURE(again.has_value() && *again == *body);
  answer.json({{"id", request.path.at("id")}, {"name", request.query("name").value_or("")}});
}

void check_reply(const HttpReply& reply) {
  ENSURE(reply.status >= 200 && reply.status < 600);
  bool accepted = parse_json(reply.body, {.bytes = SIZE_MAX, .depth = 32}).has_value();
  ENSURE(accepted && reply.body.ends_with("\n"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  HttpRequest request = request_of(as_text({data, size}));
  Api api;
  api.route("POST", "/v1/things/{id}", answer_with_what_came);
  api.route("GET", "/v1/things/{id}", answer_with_what_came);
  api.publish({"state", "{}"});
  api.handle(7, request);
  std::size_t answers = 0;
  for (const HttpPart& part : api.take()) {
    ENSURE(part.exchange == 7);
    const auto* reply = std::get_if<HttpReply>(&part.part);
    if (reply != nullptr) check_reply(*reply);
    answers += reply != nullptr || std::holds_alternative<StreamBegin>(part.part);
  }
  ENSURE(answers == 1);
  api.closed(7);
  ENSURE(api.open_exchanges() == 0);
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  auto bytes = [](std::string_view text) { return Bytes(text.begin(), text.end()); };
  return {
      bytes(
          "POST\n/v1/things/a b\n\nname=x\nwait=1.5m\n\n"
          R"({"a":[1,-2.5e3,null,true,"\u00e9\ud83d\ude00"],"b":{"c":{"d":18446744073709551615}}})"),
      bytes("GET\n/v1/things/1\n\nwait=250ms\n\n[]"), bytes("GET\n/v1/events\n1\n_since=0\n\n"),
      bytes("PUT\n/v1/things/1\n\n\n"), bytes("GET\n/nowhere\n\n\n")};
}
