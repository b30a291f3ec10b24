// SPDX-License-Identifier: MIT
#include "node/log_routes.h"

#include "base/json.h"

namespace beckon {

namespace {

using service::Answer;
using service::ApiRequest;

void set_level(LogFile& log, const ApiRequest& request, const Answer& answer) {
  auto body = request.body();
  if (!body) return answer.problem(body.error());
  if (!body->is_object() || !body->contains("level") || !(*body)["level"].is_string()) {
    return answer.problem(invalid("wanted {\"level\": \"debug\"}"));
  }
  auto level = parse_level((*body)["level"].get<std::string>());
  if (!level) return answer.problem(level.error());
  log.set_level(*level);
  answer.json({{"level", to_text(*level)}});
}

}  // namespace

void add_log_routes(service::Api& api, LogFile& log) {
  api.route("GET", "/v1/log", [&log](const ApiRequest&, Answer answer) {
    answer.json({{"level", to_text(log.level())}});
  });
  api.route("PUT", "/v1/log",
            [&log](const ApiRequest& request, Answer answer) { set_level(log, request, answer); });
}

}  // namespace beckon
